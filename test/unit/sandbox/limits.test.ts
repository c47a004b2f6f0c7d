// The counting rules of section 8, in logical time, checked against a recount of all earlier requests.

import { array, assert, boolean, constantFrom, integer, oneof, property, record } from 'fast-check';
import { LimitCounters, type WindowMode } from '../../../sandbox/limits';

const SEND = 'POST /txndata/sendTxn';
const READ = 'GET /masterdata/getContacts';
const TIME_SCALE = 0.5;
const LIMITS = {
	general: [
		{ max: 3, windowSeconds: 2 },
		{ max: 5, windowSeconds: 8 },
	],
	endpoints: { [SEND]: { max: 2, windowSeconds: 4 } },
};
const PHASES = [0, 1, 2, 3, 4, 5, 6, 7].map((phase) => phase / 8);

interface Counted {
	key: string;
	endpoint: string;
	at: number;
}

/** The names of the limits that one more request would exceed. */
function recount(counted: Counted[], request: Counted, mode: WindowMode): string[] {
	const { key, endpoint, at } = request;
	const own = counted.filter((one) => one.key === key);
	const ofEndpoint = own.filter((one) => one.endpoint === endpoint);
	const applicable = [
		...LIMITS.general.map((limit) => ({ ...limit, scope: 'general', of: own })),
		...(endpoint === SEND ? [{ ...LIMITS.endpoints[SEND], scope: SEND, of: ofEndpoint }] : []),
	];
	return applicable.flatMap(({ scope, max, windowSeconds, of }) => {
		const windowMs = windowSeconds * 1000 * TIME_SCALE;
		const since = (startMs: number) => of.filter((one) => one.at >= startMs).length;
		const sliding = of.filter((one) => at - one.at < windowMs).length;
		const fixed = PHASES.map((phase) => {
			const phaseMs = phase * windowMs;
			return since(Math.floor((at + phaseMs) / windowMs) * windowMs - phaseMs);
		});
		const counts = { sliding: [sliding], fixed, both: [sliding, ...fixed] };
		return Math.max(...counts[mode]) >= max ? [`${scope}/${windowSeconds}s`] : [];
	});
}

const schedule = array(
	record({
		// Sometimes a whole window, or a fraction of one.
		gapMs: oneof(integer({ min: 0, max: 300 }), constantFrom(125, 499, 500, 999, 1000, 2000)),
		endpoint: constantFrom(SEND, READ, 'GET /no/such/path'),
		key: constantFrom('a key', 'a key', 'another key'),
	}),
	{ maxLength: 60, size: 'max' },
);

test.each<WindowMode>(['sliding', 'fixed', 'both'])(
	'%s windows admit what a recount admits, and give the exact wait otherwise',
	(windowMode) => {
		let refused = 0;
		const play = (
			requests: Array<Omit<Counted, 'at'> & { gapMs: number }>,
			countRefused: boolean,
		) => {
			const rules = { limits: LIMITS, windowMode, timeScale: TIME_SCALE, countRefused };
			const counters = new LimitCounters(rules);
			const counted: Counted[] = [];
			let at = 0;
			for (const { gapMs, endpoint, key } of requests) {
				at += gapMs;
				const request = { key, endpoint, at };
				const expected = recount(counted, request, windowMode);
				const { exceeded, retryAfterMs } = counters.admit(key, endpoint, at);
				expect(exceeded).toEqual(expected);
				if (expected.length === 0 || countRefused) counted.push(request);
				if (expected.length === 0) expect(retryAfterMs).toBe(0);
				else {
					refused++;
					const after = (ms: number) => recount(counted, { ...request, at: at + ms }, windowMode);
					expect(after(retryAfterMs)).toEqual([]);
					expect(after(retryAfterMs - 1)).not.toEqual([]);
				}
			}
		};
		assert(property(schedule, boolean(), play), { numRuns: 100 });
		expect(refused).toBeGreaterThan(100);
	},
);
