// Next to another client of the same API key, in logical time: the limiter stays near the best schedule in the share
// that is left, both clients get few refusals, and the full limits are used again when the other client has ended.

import { bestMakespan } from '../../benchmark/bestSchedule';
import { seededRandom } from '../../sandbox/random';
import { general, LimiterBench } from '../support/limiterBench';
import { after, passTime } from '../support/logicalTime';
import { report } from '../support/report';
import { type Pattern, type Program, SharedService } from '../support/otherClient';

const SEEDS = Number(process.env.FOREIGN_SEEDS ?? 50);
const READS = 130;
const LATENCY_MS = 50;
const HOUR = 3_600_000;
/** How many reads the node keeps at the limiter. */
const AT_ONCE = 20;

jest.setTimeout(600_000);
beforeEach(() => {
	jest.useFakeTimers();
	// Makes the figures reproducible.
	jest.spyOn(Math, 'random').mockImplementation(seededRandom(SEEDS));
});
afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
});

/** The limits that the other client leaves. */
const leftBy = (share: number) =>
	general.map((limit) => ({ ...limit, max: Math.max(1, Math.floor(limit.max * (1 - share))) }));

/** Retries one read until it gets through. */
async function read(bench: LimiterBench, service: SharedService): Promise<void> {
	for (;;) {
		const permit = await bench.acquire();
		await after(LATENCY_MS / 2);
		const isTaken = service.request();
		await after(LATENCY_MS / 2);
		if (isTaken) return permit.letThrough();
		permit.refused(0);
	}
}

/** Reads concurrently and without pauses while `goesOn` returns true. */
async function readWhile(bench: LimiterBench, service: SharedService, goesOn: () => boolean) {
	const readRepeatedly = async () => {
		while (goesOn()) await read(bench, service);
	};
	await passTime(Promise.all(Array.from({ length: AT_ONCE }, readRepeatedly)), 3 * HOUR);
}

/** Reads concurrently and without pauses for `ms`. */
async function readFor(bench: LimiterBench, service: SharedService, ms: number): Promise<void> {
	const end = performance.now() + ms;
	await readWhile(bench, service, () => performance.now() < end);
}

/** Reads in one run until all reads have got through. */
async function play(program: Program | undefined, countsRefused: boolean, seed: number) {
	const bench = new LimiterBench();
	const startedAt = performance.now();
	const service = new SharedService(general, program, countsRefused, seed);
	let left = READS;
	await readWhile(bench, service, () => left-- > 0);
	const makespan = performance.now() - startedAt;
	service.catchUp(makespan);
	return { makespan, own: service.own, other: service.other };
}

const median = (values: number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

interface Case {
	pattern: Pattern;
	share: number;
	countsRefused: boolean;
	/** Upper bounds of medians over all seeds: makespan to best, own requests refused, share of the other client's refused. */
	ratio: number;
	own: number;
	other: number;
}

const cases: Case[] = [true, false].flatMap((countsRefused) =>
	[0.1, 0.33, 0.6].flatMap((share) =>
		(['even', 'poisson', 'bursts'] as const).map((pattern): Case => {
			const isInBursts = pattern === 'bursts';
			// A burst fills every tenth second, so it refuses one in ten of our requests, 13 of 130, whatever their timing. The
			// first one is unforeseeable, and refuses all requests in flight.
			const own = isInBursts && share === 0.6 ? 30 : 20;
			// The first burst, most of the other client's requests here, meets limits that we use in full. A service that does
			// not count refused requests hides the other client: while we take every slot, none of our requests is.
			const isUnseen = !countsRefused || (isInBursts && share === 0.1);
			const other = isUnseen ? 1 : share === 0.6 ? 0.4 : 0.25;
			return { pattern, share, countsRefused, ratio: isInBursts ? 2.1 : 1.5, own, other };
		}),
	),
);

test.each(cases)(
	'reads near the best makespan next to a share of $share ($pattern, refused requests count: $countsRefused)',
	async ({ pattern, share, countsRefused, ...most }) => {
		const runs: Array<Awaited<ReturnType<typeof play>>> = [];
		for (let seed = 1; seed <= SEEDS; seed++) {
			runs.push(await play({ pattern, share }, countsRefused, seed));
		}
		const best = bestMakespan(READS, leftBy(share));
		const ratio = median(runs.map(({ makespan }) => makespan / best));
		const own = median(runs.map((run) => run.own.refused));
		const other = median(runs.map((run) => run.other.refused / Math.max(1, run.other.requests)));
		report(
			`${share} ${pattern}, refused counted ${countsRefused}: ${ratio.toFixed(2)} of the best, ` +
				`${own} of our own refused, ${(100 * other).toFixed(0)} % of the other client’s`,
		);
		expect(ratio).toBeLessThanOrEqual(most.ratio);
		expect(own).toBeLessThanOrEqual(most.own);
		expect(other).toBeLessThanOrEqual(most.other);
	},
);

test('a client that starts during the run is noticed, and forgotten two windows after its end', async () => {
	for (let seed = 1; seed <= SEEDS; seed++) {
		const bench = new LimiterBench();
		const program = { pattern: 'poisson', share: 0.33, fromMs: 20_000, toMs: 80_000 } as const;
		const service = new SharedService(general, program, true, seed);
		const startedAt = performance.now();
		await readFor(bench, service, 110_000);
		expect(service.own.refused).toBeGreaterThan(0);
		// The full limits are back at the latest two longest windows after the other client has ended.
		await readFor(bench, service, 80_000 + 2 * 60_000 - (performance.now() - startedAt));
		const status = (await bench.status()).get('general/60s');
		expect(status).toMatchObject({ usedByOthers: 0 });
		const before = service.own.requests;
		await readFor(bench, service, 120_000);
		expect(service.own.requests - before).toBeGreaterThanOrEqual(195);
	}
});

test('without another client, no read is refused and the makespan is near the best', async () => {
	const { makespan, own } = await play(undefined, true, 1);
	expect(own).toEqual({ requests: READS, refused: 0 });
	expect(makespan).toBeLessThanOrEqual(1.02 * bestMakespan(READS, general) + LATENCY_MS);
});
