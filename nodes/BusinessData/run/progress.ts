/** Reports how far a run has come, and when it will be done. */
import { getGlobalState } from 'n8n-workflow';

import { IANAZone } from '../n8nInternals/luxon';
import type { Endpoint } from '../transport/endpoints';
import { formatDuration } from '../values/text';
import type { Run } from './run';

/** At least once a minute. */
const REPORTED_EVERY_MS = 55_000;
const NOT_WORTH_REPORTING_MS = 1_000;
const WITHOUT_DATE_MS = 12 * 3_600_000;

/** Does the work, and reports what `describe` returns meanwhile. */
export async function reportDuring<T>(
	run: Run,
	describe: () => string | Promise<string>,
	work: () => Promise<T>,
): Promise<T> {
	const report = async () => run.report(await describe());
	// A failed report, for example because Redis is down, is not worth an error.
	const timer = setInterval(() => void report().catch(() => undefined), REPORTED_EVERY_MS);
	try {
		return await work();
	} finally {
		clearInterval(timer);
	}
}

/** For example "12 of 30 done, the next in 4 min, all about 15:40". Skipped and failed items count as done. */
export async function describeSends(
	run: Run,
	done: number,
	total: number,
	endpoint: Endpoint | undefined,
): Promise<string> {
	const { nextMs, lastMs } = await run.client.estimate(endpoint, total - done);
	const next = nextMs < NOT_WORTH_REPORTING_MS ? '' : `, the next in ${formatDuration(nextMs)}`;
	return `${done} of ${total} done${next}, all about ${timeAfter(run, lastMs)}`;
}

/** The time of day `ms` from now in the workflow's time zone, with the date if that is over half a day away. */
export function timeAfter({ context }: Run, ms: number): string {
	const date = ms < WITHOUT_DATE_MS ? {} : ({ day: 'numeric', month: 'short' } as const);
	const time = { ...date, hour: '2-digit', minute: '2-digit' } as const;
	// A workflow may have an unknown zone, such as DEFAULT, and n8n's own setting may be empty.
	const zones = [context.getTimezone(), getGlobalState().defaultTimezone];
	const timeZone = zones.find((zone) => IANAZone.isValidZone(zone));
	return new Intl.DateTimeFormat('en-GB', { ...time, timeZone }).format(Date.now() + ms);
}
