// The options of a sandbox, with their defaults and validation.

import { DEFAULT_API_KEY, type KeySettings } from './authentication';
import { EndpointDirectory } from './endpoints';
import { ENDPOINT_NAMES } from './inventions/routes';
import { DOCUMENTED_LIMITS, type Limit, type LimitTable, type WindowMode } from './limits';
import { PROFILES } from './profiles';
import { RETRY_AFTER_FORMS, type RetryAfterForm } from './refusal';

/** Random latency per request, in ms: one half before the request is counted, one half after. */
export interface Latency {
	minMs: number;
	maxMs: number;
	/** Makes random numbers, including those of faults, reproducible. */
	seed?: number;
}

export interface SandboxOptions {
	/** Port on 127.0.0.1; default 0 for any free one. */
	port?: number;
	/** How windows are counted, which section 8 leaves open; default `sliding`. */
	windowMode?: WindowMode;
	/** Every window length is multiplied by it; default 1. 0.05 makes 60 s into 3 s. */
	timeScale?: number;
	/** Limits, before scaling; default: the documented ones (section 8). */
	limits?: LimitTable;
	/** API keys; default: one active key, `DEFAULT_API_KEY`. */
	apiKeys?: Record<string, KeySettings>;
	/** How many contacts there are at the start; default 25. */
	contactCount?: number;
	/** Default: none. */
	latency?: Latency;
	/** The Retry-After of a genuine 429, which section 7 does not mention; default `none`. */
	retryAfter?: RetryAfterForm;
	/** Whether requests refused by a limit count too; default true. */
	countRefused?: boolean;
	/** The name of a service in `profiles` to imitate; the default, an empty name, is the sandbox's own invention. */
	profile?: string;
}

/** Validated options with their defaults, and with normalized endpoints. */
export interface ResolvedOptions extends Required<SandboxOptions> {
	endpoints: EndpointDirectory;
}

function demand(condition: boolean, message: string): void {
	if (!condition) throw new Error(message);
}

function checkLimit(name: string, { max, windowSeconds }: Limit): void {
	demand(Number.isInteger(max) && max > 0, `${name}: max must be a whole number above 0`);
	demand(
		windowSeconds > 0 && Number.isFinite(windowSeconds),
		`${name}: windowSeconds must be above 0`,
	);
}

function resolveLimits(limits: LimitTable, endpoints: EndpointDirectory): LimitTable {
	for (const limit of limits.general) checkLimit('A general limit', limit);
	const resolved = Object.entries(limits.endpoints).map(([name, limit]): [string, Limit] => {
		checkLimit(name, limit);
		return [endpoints.normalise(name), limit];
	});
	return { general: limits.general, endpoints: Object.fromEntries(resolved) };
}

/** Fills in the defaults. Throws an error that names an invalid option. */
export function resolveOptions(options: SandboxOptions): ResolvedOptions {
	const limits = options.limits ?? DOCUMENTED_LIMITS;
	const apiKeys = options.apiKeys ?? { [DEFAULT_API_KEY]: { state: 'active' } };
	const endpoints = new EndpointDirectory([...ENDPOINT_NAMES, ...Object.keys(limits.endpoints)]);
	const resolved: ResolvedOptions = {
		port: options.port ?? 0,
		windowMode: options.windowMode ?? 'sliding',
		timeScale: options.timeScale ?? 1,
		limits: resolveLimits(limits, endpoints),
		apiKeys,
		contactCount: options.contactCount ?? 25,
		latency: options.latency ?? { minMs: 0, maxMs: 0 },
		retryAfter: options.retryAfter ?? 'none',
		countRefused: options.countRefused ?? true,
		profile: options.profile ?? '',
		endpoints,
	};
	const { port, windowMode, timeScale, contactCount, latency, retryAfter, profile } = resolved;
	demand(Number.isInteger(port) && port >= 0 && port < 65_536, 'port must be from 0 to 65535');
	demand(
		['sliding', 'fixed', 'both'].includes(windowMode),
		'windowMode must be sliding, fixed or both',
	);
	demand(timeScale > 0 && Number.isFinite(timeScale), 'timeScale must be above 0');
	demand(Number.isInteger(contactCount) && contactCount >= 0, 'contactCount must be 0 or more');
	demand(
		latency.minMs >= 0 && latency.maxMs >= latency.minMs,
		'latency must run from minMs up to maxMs',
	);
	demand(RETRY_AFTER_FORMS.includes(retryAfter), 'retryAfter must be none, seconds or date');
	demand(
		profile === '' || Object.hasOwn(PROFILES, profile),
		`profile must be one of ${Object.keys(PROFILES).join(', ')}`,
	);
	demand(Object.keys(apiKeys).length > 0, 'apiKeys must hold at least one key');
	// Section 5, rule 3. The message must not contain the key.
	const isWellFormed = (key: string): boolean => /^[0-9a-f]{64}$/i.test(key);
	demand(Object.keys(apiKeys).every(isWellFormed), 'An API key is 64 hexadecimal characters');
	return resolved;
}
