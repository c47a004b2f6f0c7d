// Decides whether a request may act, by its API key alone (sections 3, 5 and 7).

import type { EndpointDirectory } from './endpoints';

/** The states of an API key (section 3). */
export type KeyState = 'active' | 'disabled' | 'deleted';

/** What the sandbox knows of one API key. */
export interface KeySettings {
	state: KeyState;
	/** Endpoints (`METHOD /path`) that the key's role is not allowed to call (section 5, rule 8). */
	deniedEndpoints?: string[];
}

/** The key of a request, and why it gets a 401, if it is. */
export interface AuthenticationResult {
	/** The key, if the sandbox knows it: the request counts against its limits, allowed or not. */
	knownKey?: string;
	/** For the journal only: the response is the same for every reason. */
	rejectedBecause?: string;
}

// Spelled as text and turned into hexadecimal, so that it has the documented form (section 5, rule 3)
// and who decodes it reads that it is no secret.
/** The API key of a sandbox that was started without `apiKeys`. */
export const DEFAULT_API_KEY = Buffer.from('local sandbox key, not a secret!').toString('hex');

/** The keys of the sandbox and their states. */
export class KeyRegistry {
	readonly #initial: [string, KeySettings][];
	#keys = new Map<string, KeySettings>();

	/** Throws when a denied endpoint is malformed. */
	constructor(keys: Record<string, KeySettings>, endpoints: EndpointDirectory) {
		this.#initial = Object.entries(keys).map(([key, { state, deniedEndpoints = [] }]) => [
			key,
			{ state, deniedEndpoints: deniedEndpoints.map((name) => endpoints.normalise(name)) },
		]);
		this.reset();
	}

	/** The key that tests use: the first active one, else the first. */
	get mainKey(): string {
		const [first] = this.#initial.filter(([, settings]) => settings.state === 'active');
		return (first ?? this.#initial[0])?.[0] ?? '';
	}

	/** Moves a key to a state; takes effect at once (section 5, rule 5). An unknown key is created. */
	setState(key: string, state: KeyState): void {
		this.#keys.set(key, { ...this.#keys.get(key), state });
	}

	/** Puts all keys back to their first states. */
	reset(): void {
		this.#keys = new Map(this.#initial);
	}

	/**
	 * Checks the header `x-api-key`, the only supported method (section 5, rule 2), and everything
	 * that leads to 401 (section 5, rule 8, and section 7). `endpoint` is in its one spelling.
	 */
	check(
		header: string | undefined,
		query: Record<string, unknown>,
		endpoint: string,
	): AuthenticationResult {
		const settings = header === undefined ? undefined : this.#keys.get(header);
		const knownKey = settings === undefined ? undefined : header;
		if (Object.hasOwn(query, 'apiKey')) return { knownKey, rejectedBecause: 'key in the query' };
		if (header === undefined || header === '') return { rejectedBecause: 'key missing' };
		if (settings === undefined) return { rejectedBecause: 'key wrong' };
		if (settings.state !== 'active') return { knownKey, rejectedBecause: `key ${settings.state}` };
		const isDenied = settings.deniedEndpoints?.includes(endpoint) ?? false;
		if (isDenied) return { knownKey, rejectedBecause: 'role not allowed' };
		return { knownKey };
	}
}
