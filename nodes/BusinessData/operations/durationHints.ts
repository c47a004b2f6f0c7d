/**
 * What the editor shows of a send before its run: how long so many items take. n8n computes when a hint is shown,
 * but not its text, so there is one for each length of time.
 */
import type { NodeHint } from 'n8n-workflow';

import type { LimitSetting } from '../transport/endpoints';
import { formatDuration, formatLimit } from '../transport/waitTime';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The hints of an operation whose items need a request each, under the limit. */
export function durationHints(
	resource: string,
	operation: string,
	{ max, windowSeconds }: LimitSetting,
): NodeHint[] {
	const windowMs = windowSeconds * 1000;
	const durations = [windowMs, HOUR_MS, DAY_MS].filter((ms, index) => index === 0 || ms > windowMs);
	return durations.map((durationMs, index): NodeHint => {
		// How many items go out within the time.
		const before = (ms: number) => Math.ceil(ms / windowMs) * max;
		const longer = durations[index + 1];
		const count = '$input.all().length';
		const conditions = [
			`$parameter["resource"] === "${resource}"`,
			`$parameter["operation"] === "${operation}"`,
			`${count} > ${before(durationMs)}`,
			...(longer === undefined ? [] : [`${count} <= ${before(longer)}`]),
		];
		const advice =
			durationMs < HOUR_MS
				? ''
				: ' So that a restart of n8n does not end it, send them in a loop with <b>Rate Limit: Wait for Room</b>.';
		return {
			type: 'info',
			message: `With the usual limit of ${formatLimit(max, windowMs)}, this many items take ${formatDuration(durationMs)} or more.${advice}`,
			displayCondition: `={{ ${conditions.join(' && ')} }}`,
			whenToDisplay: 'beforeExecution',
			location: 'outputPane',
		};
	});
}
