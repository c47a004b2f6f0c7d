// With a Send Once Key, a document goes out once also where executions overlap, over n8n's own
// deduplication store; what certainly was not sent is sent by the next run.

import type { EngineRun } from '../support/engine';

import { seededRandom } from '../../sandbox/random';
import type { FaultAction } from '../../sandbox/faults';
import { apiRequest, NO_LIMITS, NODE, useBench } from '../support/bench';
import { useDeduplicator } from '../support/deduplicator';
import { readRun } from '../support/engine';
import { workflowOf } from '../support/engineWorkflow';

const ROUNDS = 200;
const ROUNDS_AT_ONCE = 10;
const SEED = 2026;
const TIMEOUT_SECONDS = 0.25;
const bench = useBench({ limits: NO_LIMITS });
let store: Awaited<ReturnType<typeof useDeduplicator>>;

beforeAll(async () => {
	store = await useDeduplicator();
});
beforeEach(() => store.clear());

const FAULTS: FaultAction[] = [
	{ type: 'status', status: 400 },
	{ type: 'status', status: 429, headers: { 'retry-after': '0' } },
	{ type: 'status', status: 500, act: true },
	{ type: 'status', status: 500 },
	{ type: 'hangUpBeforeActing' },
	{ type: 'hangUpAfterActing' },
	{ type: 'neverAnswer', act: true },
	{ type: 'neverAnswer', act: false },
	{ type: 'delay', ms: 60, actFirst: true },
	{ type: 'delay', ms: 60, actFirst: false },
];

/** What a user knows of a document after a run of several executions. */
interface Told {
	/** Executions that got the service's own answer. */
	sent: number;
	/** Whether somebody was told that it may have been sent. */
	unknown: boolean;
	skipped: boolean;
}

type Random = () => number;

function shuffled<T>(values: T[], random: Random): T[] {
	return values
		.map((value) => ({ value, order: random() }))
		.sort((a, b) => a.order - b.order)
		.map(({ value }) => value);
}

function start(keys: string[], marker: string) {
	const items = keys.map((key) => ({ key }));
	const parameters = {
		...apiRequest('POST', '/sandbox/echo', {
			sendOnceKey: '={{ $json.key }}',
			timeout: TIMEOUT_SECONDS,
			headerParameters: { parameters: [{ name: 'x-sandbox-marker', value: marker }] },
		}),
		dataMode: 'autoMapInputData',
	};
	const settings = { onError: 'continueRegularOutput' } as const;
	return bench.engine.start(workflowOf(items, parameters, settings), { key: bench.credential });
}

function tell(told: Map<string, Told>, keys: string[], result: EngineRun): void {
	const isStopped = result.run.status === 'canceled';
	const outputs = isStopped ? [] : result.items(NODE);
	if (!isStopped) expect(outputs).toHaveLength(keys.length);
	for (const [index, key] of keys.entries()) {
		const known = told.get(key) ?? { sent: 0, unknown: false, skipped: false };
		told.set(key, known);
		const { json, error } = outputs[index] ?? {};
		// A stopped execution tells nothing of its items.
		if (isStopped) continue;
		if (error !== undefined) known.unknown ||= error.context.outcome === 'unknown';
		else if (json?.skipped === true) known.skipped = true;
		else known.sent++;
	}
}

/** How often each document was acted on. */
function actedOn(): Map<string, number> {
	const counts = new Map<string, number>();
	for (const { acted, body } of bench.sandbox.journal.all()) {
		const { key } = body as { key: string };
		if (acted) counts.set(key, (counts.get(key) ?? 0) + 1);
	}
	return counts;
}

/** The documents of requests that arrived and did not act, without an answer that says so. */
function unknownOutcomes(): Set<string> {
	const unclear = bench.sandbox.journal
		.all()
		.filter(({ acted, status }) => !acted && status !== 400 && status !== 429);
	return new Set(unclear.map(({ body }) => (body as { key: string }).key));
}

async function playRound(round: number): Promise<void> {
	const random = seededRandom(SEED + round);
	const pick = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));
	const marker = `round-${round}`;
	const keys = Array.from({ length: pick(2, 6) }, (_, index) => `${marker}-${index}`);
	for (let faults = pick(0, 4); faults > 0; faults--) {
		const action = FAULTS[pick(0, FAULTS.length - 1)] as FaultAction;
		bench.sandbox.fault({ action, marker, after: pick(0, 3) });
	}
	const told = new Map<string, Told>();
	const executions = Array.from({ length: pick(2, 8) }, async () => {
		const own = shuffled(keys, random).slice(0, pick(1, keys.length));
		const stopAfterMs = random() < 0.2 ? pick(0, 100) : undefined;
		await new Promise((resolve) => setTimeout(resolve, pick(0, 30)));
		const execution = start(own, marker);
		if (stopAfterMs !== undefined) setTimeout(() => execution.cancel(), stopAfterMs);
		tell(told, own, readRun(await execution));
	});
	await Promise.all(executions);

	const before = actedOn();
	const mayBeUnknown = unknownOutcomes();
	const again = new Map<string, Told>();
	tell(again, keys, readRun(await start(keys, `${marker} again`)));
	const after = actedOn();
	for (const [key, first] of told) {
		const what = { key, before: before.get(key) ?? 0, first, again: again.get(key) };
		const times = after.get(key) ?? 0;
		// Once; and not at all only where an answer got lost.
		expect(times).toBeLessThanOrEqual(1);
		if (!mayBeUnknown.has(key)) expect([what, times]).toEqual([what, 1]);
		expect([what, first.sent]).toEqual([what, Math.min(first.sent, what.before)]);
		// Nobody is told "skipped" of what was not sent and is not on its way.
		if (first.skipped && what.before === 0) expect(mayBeUnknown).toContain(key);
	}
}

test(`${ROUNDS} rounds of overlapping executions with faults and stops`, async () => {
	const rounds = Array.from({ length: ROUNDS }, (_, round) => round).values();
	const playOnAndOn = async () => {
		for (const round of rounds) await playRound(round);
	};
	await Promise.all(Array.from({ length: ROUNDS_AT_ONCE }, playOnAndOn));
}, 240_000);
