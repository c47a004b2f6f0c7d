// Beside another client on the same key, in logical time: near the best schedule in what it leaves, few
// refusals of either, and the full limits again when it has ended.

import { bestMakespan } from '../../bench/bestSchedule';
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
	// The same figures each time.
	jest.spyOn(Math, 'random').mockImplementation(seededRandom(SEEDS));
});
afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
});

/** The limits as the program leaves them. */
const leftBy = (share: number) =>
	general.map((limit) => ({ ...limit, max: Math.max(1, Math.floor(limit.max * (1 - share))) }));

/** One read, again and again until it gets through. */
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

/** Reads, many at once and without a pause, as long as it should go on. */
async function readWhile(bench: LimiterBench, service: SharedService, goesOn: () => boolean) {
	const readOnAndOn = async () => {
		while (goesOn()) await read(bench, service);
	};
	await passTime(Promise.all(Array.from({ length: AT_ONCE }, readOnAndOn)), 3 * HOUR);
}

/** The same for so long (ms). */
async function readFor(bench: LimiterBench, service: SharedService, ms: number): Promise<void> {
	const end = performance.now() + ms;
	await readWhile(bench, service, () => performance.now() < end);
}

/** Reads, by one run, until all have got through. */
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
	/** At the most, as medians over the seeds: makespan to best, own requests refused, part of the other client's refused. */
	ratio: number;
	own: number;
	other: number;
}

const cases: Case[] = [true, false].flatMap((countsRefused) =>
	[0.1, 0.33, 0.6].flatMap((share) =>
		(['even', 'poisson', 'bursts'] as const).map((pattern): Case => {
			const isInBursts = pattern === 'bursts';
			// A burst fills every tenth second, which one in ten of our requests meets, 13 of 130, whenever they go; and
			// the first one, of which nobody can know, refuses all that are under way.
			const own = isInBursts && share === 0.6 ? 30 : 20;
			// A first burst meets the full limits, and is most of the other client's requests while we read. A service that does not
			// count what it refuses hides it from us: as long as we take every slot, none of our requests is refused.
			const isUnseen = !countsRefused || (isInBursts && share === 0.1);
			const other = isUnseen ? 1 : share === 0.6 ? 0.4 : 0.25;
			return { pattern, share, countsRefused, ratio: isInBursts ? 2.1 : 1.5, own, other };
		}),
	),
);

test.each(cases)(
	'a share of $share, $pattern, and refused requests are counted: $countsRefused',
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

test('a program that begins in mid-run is noticed, and forgotten two windows after its end', async () => {
	for (let seed = 1; seed <= SEEDS; seed++) {
		const bench = new LimiterBench();
		const program = { pattern: 'poisson', share: 0.33, fromMs: 20_000, toMs: 80_000 } as const;
		const service = new SharedService(general, program, true, seed);
		const startedAt = performance.now();
		await readFor(bench, service, 110_000);
		expect(service.own.refused).toBeGreaterThan(0);
		// Back to the full limits at the latest two longest windows after the program has ended.
		await readFor(bench, service, 80_000 + 2 * 60_000 - (performance.now() - startedAt));
		const status = (await bench.status()).get('general/60s');
		expect(status).toMatchObject({ usedByOthers: 0 });
		const before = service.own.requests;
		await readFor(bench, service, 120_000);
		expect(service.own.requests - before).toBeGreaterThanOrEqual(195);
	}
});

test('alone on the key nothing changes', async () => {
	const { makespan, own } = await play(undefined, true, 1);
	expect(own).toEqual({ requests: READS, refused: 0 });
	expect(makespan).toBeLessThanOrEqual(1.02 * bestMakespan(READS, general) + LATENCY_MS);
});
