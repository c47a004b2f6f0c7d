// Decides by the API key alone whether a request may act (sections 3, 5 and 7).

import type { EndpointDirectory } from './endpoints';

/** The states of an API key (section 3). */
export const KEY_STATES = ['active', 'disabled', 'deleted'] as const;
export type KeyState = (typeof KEY_STATES)[number];

interface KeySettings {
	state: KeyState;
	deniedEndpoints?: string[];
}

/** The key of a request, and the reason for a 401, if any. */
interface AuthenticationResult {
	/** The key, if the sandbox knows it. The request counts against its limits even if it is rejected. */
	knownKey?: string;
	/** For the journal only: the response is the same for every reason. */
	rejectedBecause?: string;
}

/**
 * The API key of a sandbox that was started without `apiKeys`. In hexadecimal, it has the documented form (section 5, rule
 * 3); decoded, it says that it is no secret.
 */
export const DEFAULT_API_KEY = Buffer.from('local sandbox key, not a secret!').toString('hex');

/** The keys of the sandbox and their states. */
export class KeyRegistry {
	private readonly initial: [string, KeySettings][];
	private keys = new Map<string, KeySettings>();

	/** @throws if a denied endpoint is malformed */
	constructor(keys: Record<string, KeySettings>, endpoints: EndpointDirectory) {
		this.initial = Object.entries(keys).map(([key, { state, deniedEndpoints = [] }]) => [
			key,
			{ state, deniedEndpoints: deniedEndpoints.map((name) => endpoints.normalize(name)) },
		]);
		this.reset();
	}

	/** The key for tests: the first active one, or else the first. */
	get mainKey(): string {
		const [first] = this.initial.filter(([, settings]) => settings.state === 'active');
		return (first ?? this.initial[0])?.[0] ?? '';
	}

	/** Sets the state of a key with immediate effect (section 5, rule 5). Creates an unknown key. */
	setState(key: string, state: KeyState): void {
		this.keys.set(key, { ...this.keys.get(key), state });
	}

	/** Restores the initial states of all keys. */
	reset(): void {
		this.keys = new Map(this.initial);
	}

	/**
	 * Checks the header `x-api-key`, the only supported method (section 5, rule 2), and everything that leads to a 401
	 * (section 5, rule 8, and section 7). `endpoint` must be normalized.
	 */
	check(
		header: string | undefined,
		query: Record<string, unknown>,
		endpoint: string,
	): AuthenticationResult {
		const settings = header === undefined ? undefined : this.keys.get(header);
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
