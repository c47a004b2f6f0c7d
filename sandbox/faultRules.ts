// What can go wrong with a request, by rules that tests set: their form, and the check of it, so that a
// misspelt rule fails at once instead of doing nothing.

import { z } from 'zod';
import { MAXIMUM_MEGABYTES } from './responses';
import { checkForm } from './form';
import { RETRY_AFTER_FORMS } from './refusal';

/** A time in ms, at most the longest that Node's timers can hold. */
const milliseconds = z
	.number()
	.min(0)
	.max(2 ** 31 - 1);

/** Unless said otherwise the request acts before it goes wrong. */
const faultAction = z.discriminatedUnion('type', [
	// A scripted response, `afterMs` (ms) late. The request acts only when `act` is true.
	z.strictObject({
		type: z.literal('status'),
		status: z.number().int().min(200).max(599),
		/** Text is sent as it is, anything else as JSON. */
		body: z.unknown(),
		headers: z.record(z.string()).optional(),
		contentType: z.string().optional(),
		act: z.boolean().optional(),
		afterMs: milliseconds.optional(),
	}),
	// A scripted 429, which says in this form to come back after `waitMs` (ms). It does not act.
	z.strictObject({
		type: z.literal('refuse'),
		retryAfter: z.enum(RETRY_AFTER_FORMS),
		waitMs: milliseconds,
	}),
	// The connection ends without a response, before the request has acted.
	z.strictObject({ type: z.literal('hangUpBeforeActing') }),
	// The connection ends without a response, after the request has acted.
	z.strictObject({ type: z.literal('hangUpAfterActing') }),
	// The right response comes `ms` (ms) late; the request acts before or after that time.
	z.strictObject({ type: z.literal('delay'), ms: milliseconds, actFirst: z.boolean() }),
	// The right response comes once the rules are cleared. The request acts at once.
	z.strictObject({ type: z.literal('hold') }),
	// The connection stays open, without any response.
	z.strictObject({ type: z.literal('neverAnswer'), act: z.boolean() }),
	// Half of the right response, and then the connection ends.
	z.strictObject({ type: z.literal('truncate') }),
	// The right status with half a JSON text as its complete body.
	z.strictObject({ type: z.literal('brokenJson') }),
	// The right status with no body.
	z.strictObject({ type: z.literal('emptyBody') }),
	// The right status with a JSON string of so many megabytes.
	z.strictObject({
		type: z.literal('hugeBody'),
		megabytes: z.number().int().min(1).max(MAXIMUM_MEGABYTES),
	}),
	// The right response, so many bytes at a time, one piece every `everyMs` (ms).
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
	/** Only requests that carry this value in the header `x-sandbox-marker`; default: all. */
	marker: z.string().optional(),
	/** How many requests go wrong before the rule is spent; default 1, may be Infinity. */
	times: z.preprocess(
		// JSON has no Infinity and writes null in its place.
		(times) => (times === null ? Infinity : times),
		z.number().min(1).optional(),
	),
	/** How many matching requests pass unharmed first; default 0. */
	after: z.number().min(0).optional(),
	/** Chance from 0 to 1 that a matching request goes wrong; default 1. */
	probability: z.number().min(0).max(1).optional(),
	action: faultAction,
});

/** What goes wrong with a request. */
export type FaultAction = z.infer<typeof faultAction>;

/**
 * A rule that makes requests go wrong. Only requests that passed the checks of the key and of the
 * limits meet the rules, so that a scripted response never hides a genuine refusal.
 */
export type FaultRule = z.infer<typeof faultRule>;

/** The value as a fault rule. Throws an error that names the place when it is none. */
export function checkFaultRule(value: unknown): FaultRule {
	return checkForm('A fault rule', faultRule, value);
}
