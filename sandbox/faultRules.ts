// The form of the fault rules that tests set, and its validation, so that a misspelt rule fails at once instead of
// doing nothing.

import { z } from 'zod';
import { MAXIMUM_MEGABYTES } from './responses';
import { checkForm } from './form';
import { RETRY_AFTER_FORMS } from './refusal';

/** A time in ms, up to the maximum of Node's timers. */
const milliseconds = z
	.number()
	.min(0)
	.max(2 ** 31 - 1);

/** Unless said otherwise, the request is carried out before the fault. */
const faultAction = z.discriminatedUnion('type', [
	// A scripted response, `afterMs` (ms) late. The request is carried out only if `act` is true.
	z.strictObject({
		type: z.literal('status'),
		status: z.number().int().min(200).max(599),
		/** A text is sent as it is, anything else as JSON. */
		body: z.unknown(),
		headers: z.record(z.string()).optional(),
		contentType: z.string().optional(),
		act: z.boolean().optional(),
		afterMs: milliseconds.optional(),
	}),
	// A scripted 429, with a Retry-After of `waitMs` (ms) in this form. The request is not carried out.
	z.strictObject({
		type: z.literal('refuse'),
		retryAfter: z.enum(RETRY_AFTER_FORMS),
		waitMs: milliseconds,
	}),
	// The connection ends without a response, and the request is not carried out.
	z.strictObject({ type: z.literal('hangUpBeforeActing') }),
	// The connection ends without a response, after the request was carried out.
	z.strictObject({ type: z.literal('hangUpAfterActing') }),
	// The normal response comes `ms` (ms) late. The request is carried out before or after the delay.
	z.strictObject({ type: z.literal('delay'), ms: milliseconds, actFirst: z.boolean() }),
	// The normal response comes once the rules are cleared. The request is carried out at once.
	z.strictObject({ type: z.literal('hold') }),
	// The connection stays open without a response.
	z.strictObject({ type: z.literal('neverRespond'), act: z.boolean() }),
	// Half of the normal response, then the connection ends.
	z.strictObject({ type: z.literal('truncate') }),
	// The normal status with half a JSON text as its complete body.
	z.strictObject({ type: z.literal('brokenJson') }),
	// The normal status without a body.
	z.strictObject({ type: z.literal('emptyBody') }),
	// The normal status with a JSON string of this size.
	z.strictObject({
		type: z.literal('hugeBody'),
		megabytes: z.number().int().min(1).max(MAXIMUM_MEGABYTES),
	}),
	// The normal response, in pieces of `bytes` bytes every `everyMs` (ms).
	z.strictObject({
		type: z.literal('trickle'),
		bytes: z
			.number()
			.int()
			.min(1)
			.max(1024 * 1024),
		everyMs: z.number().min(0).max(60_000),
	}),
]);

const faultRule = z.strictObject({
	/** `METHOD /path`, in any spelling; default: every endpoint. */
	endpoint: z
		.string()
		.regex(/^[A-Za-z]+ \//, 'It is written as "METHOD /path"')
		.optional(),
	/** Only requests with this value in the header `x-sandbox-marker`; default: all. */
	marker: z.string().optional(),
	/** How many requests the rule applies to; default 1, may be Infinity. */
	times: z.preprocess(
		// JSON has null for Infinity.
		(times) => (times === null ? Infinity : times),
		z.number().min(1).optional(),
	),
	/** How many matching requests are spared first; default 0. */
	after: z.number().min(0).optional(),
	action: faultAction,
});

/** The fault of a request. */
export type FaultAction = z.infer<typeof faultAction>;

/**
 * A rule for faults. Rules apply only to requests that have passed the checks of the key and the limits, so that a
 * scripted response never hides a genuine refusal.
 */
export type FaultRule = z.infer<typeof faultRule>;

/** Validates a fault rule. Throws an error that names the invalid field. */
export function checkFaultRule(value: unknown): FaultRule {
	return checkForm('A fault rule', faultRule, value);
}
