// The options of a sandbox, with their defaults and validation.

import { z } from 'zod';
import { DEFAULT_API_KEY, KEY_STATES } from './authentication';
import { EndpointDirectory } from './endpoints';
import { checkForm } from './form';
import { ENDPOINT_NAMES } from './inventions/routes';
import { DOCUMENTED_LIMITS, type Limit, WINDOW_MODES } from './limits';
import { PROFILES } from './profiles';
import { RETRY_AFTER_FORMS } from './refusal';

const limit = z.object({
	max: z.number().int().positive(),
	windowSeconds: z.number().positive().finite(),
});
const keySettings = z.object({
	state: z.enum(KEY_STATES),
	/** Endpoints (`METHOD /path`) that the key's role is not allowed to call (section 5, rule 8). */
	deniedEndpoints: z.array(z.string()).default([]),
});

const form = z.strictObject({
	/** Port on 127.0.0.1; 0 for any free one. */
	port: z.number().int().min(0).max(65_535).default(0),
	/** How windows are counted, which section 8 leaves open. */
	windowMode: z.enum(WINDOW_MODES).default('sliding'),
	/** Every window length is multiplied by it. 0.05 makes 60 s into 3 s. */
	timeScale: z.number().positive().finite().default(1),
	/** Limits, before scaling; by default the documented ones (section 8). */
	limits: z
		.object({ general: z.array(limit), endpoints: z.record(limit) })
		.default(DOCUMENTED_LIMITS),
	apiKeys: z
		.record(keySettings)
		.refine((keys) => Object.keys(keys).length > 0, 'There must be a key')
		// Section 5, rule 3. The message must not contain the key.
		.refine(
			(keys) => Object.keys(keys).every((key) => /^[0-9a-f]{64}$/i.test(key)),
			'An API key is 64 hexadecimal characters',
		)
		.default({ [DEFAULT_API_KEY]: { state: 'active' } }),
	/** How many contacts there are at the start. */
	contactCount: z.number().int().min(0).default(25),
	/** Random latency per request, in ms: one half before the request is counted, one half after. */
	latency: z
		.object({
			minMs: z.number().min(0),
			maxMs: z.number(),
			/** Makes the random numbers reproducible. */
			seed: z.number().optional(),
		})
		.refine(({ minMs, maxMs }) => maxMs >= minMs, 'It runs from minMs up to maxMs')
		.default({ minMs: 0, maxMs: 0 }),
	/** The Retry-After of a genuine 429, which section 7 does not mention. */
	retryAfter: z.enum(RETRY_AFTER_FORMS).default('none'),
	/** Whether requests refused by a limit count too. */
	countRefused: z.boolean().default(true),
	/** The name of a service in `profiles` to imitate; an empty name is the sandbox's own invention. */
	profile: z
		.string()
		.refine(
			(name) => name === '' || Object.hasOwn(PROFILES, name),
			`It must be one of ${Object.keys(PROFILES).join(', ')}`,
		)
		.default(''),
});

export type SandboxOptions = z.input<typeof form>;

/** Validated options with their defaults, and with normalized endpoints. */
export type ResolvedOptions = z.output<typeof form> & { endpoints: EndpointDirectory };

/** Fills in the defaults. Throws an error that names an invalid option. */
export function resolveOptions(given: SandboxOptions): ResolvedOptions {
	const options = checkForm('The options', form, given);
	const { general, endpoints: limits } = options.limits;
	const endpoints = new EndpointDirectory([...ENDPOINT_NAMES, ...Object.keys(limits)]);
	const normalized = Object.entries(limits).map(([name, own]): [string, Limit] => [
		endpoints.normalize(name),
		own,
	]);
	return {
		...options,
		limits: { general, endpoints: Object.fromEntries(normalized) },
		endpoints,
	};
}
