// Send Once during faults of n8n and its database and during stops: a request that did not leave is neither recorded nor
// reported as sent.

import { DataDeduplicationService } from 'n8n-core';

import { errorOf, NO_LIMITS, NODE, useBench } from '../support/bench';
import { useDeduplicator } from '../support/deduplicator';
import { readRun } from '../support/engine';
import { processState } from '../../nodes/BusinessData/sendOnce/processState';
import { forgetRequests } from '../support/limiters';
import { ONCE, send } from '../support/parameters';

const bench = useBench({ limits: NO_LIMITS });
const store = useDeduplicator();
beforeEach(() => {
	processState().watched.clear();
	processState().leases.clear();
});

test('nothing is sent twice if n8n hashes keys in an unknown way', async () => {
	await bench.run([{ id: 'old' }], send(ONCE));
	const { deduplicator } = DataDeduplicationService.getInstance() as unknown as {
		deduplicator: object;
	};
	const value = { createValueHash: () => 'another' };
	Object.defineProperty(deduplicator, 'constructor', { configurable: true, value });
	const result = await bench.run([{ id: 'old' }], send(ONCE));
	Reflect.deleteProperty(deduplicator, 'constructor');
	expect(errorOf(result).message).toContain('(this version of the package cannot read it)');
	expect(bench.documents()).toHaveLength(1);
});

const ANOTHER = { deduplicator: { value: {} } };
test.each<[string, object | undefined]>([
	['no', undefined],
	['another', {}],
	['an unreadable', Object.create(DataDeduplicationService.prototype, ANOTHER) as object],
])('nothing is sent if n8n has %s deduplication store', async (_, found) => {
	const spy = jest.spyOn(DataDeduplicationService, 'getInstance').mockImplementation(() => {
		if (found === undefined) throw new Error('none');
		return found as DataDeduplicationService;
	});
	const error = errorOf(await bench.run([{ id: 'a' }], send(ONCE)));
	spy.mockRestore();
	expect(error.message).toBe('Send Once Key: this version of n8n has no deduplication store');
	expect(error.description).toContain('Update n8n');
	expect(bench.documents()).toEqual([]);
});

describe('a database fault neither loses nor repeats a document', () => {
	/** For an old key and a new one: each is looked up, and the new one is recorded, completed and listed. */
	const accesses = (
		[
			['read', 9, ['before']],
			['write', 4, ['before', 'after', 'late']],
		] as const
	).flatMap(([access, count, moments]) =>
		moments.flatMap((moment) =>
			Array.from({ length: count }, (_, after) => ({ access, moment, after })),
		),
	);
	const tenSeconds = async () => await new Promise((resolve) => setTimeout(resolve, 10_000));

	test.each(accesses)('$moment a $access, after $after others', async (fault) => {
		const { access, ...when } = fault;
		await bench.run([{ id: 'old' }], send(ONCE));
		store.fail(access, when);
		const result = await bench.run([{ id: 'old' }, { id: 'new' }], send(ONCE));
		if (result.run.status === 'error') {
			const error = errorOf(result);
			expect(error.message).toMatch(/^Send Once Key: n8n's deduplication store failed \(the /);
			expect(error.description).toContain("Check n8n's database");
			expect(error.context.outcome).toBe('notSent');
		}
		const wasSent = result.run.status === 'success';
		expect(bench.documents()).toEqual(wasSent ? [{ id: 'old' }, { id: 'new' }] : [{ id: 'old' }]);

		if (when.moment === 'late') await tenSeconds();
		store.clearFaults();
		const states = ['sent', wasSent ? 'sent' : 'notSent'];
		expect(await bench.statesOf('old', 'new')).toEqual(states);
		// As another process sees it shortly after.
		const { watched } = processState();
		const before = new Map(watched);
		watched.clear();
		await tenSeconds();
		expect(await bench.statesOf('old', 'new')).toEqual(states);
		for (const [name, watch] of before) watched.set(name, watch);
		const again = await bench.run([{ id: 'old' }, { id: 'new' }], send(ONCE));
		expect(again.run.status).toBe('success');
		expect(bench.documents()).toEqual([{ id: 'old' }, { id: 'new' }]);
		const skipped = again.json(NODE).map((json) => json.skipped === true);
		expect(skipped).toEqual([true, wasSent]);
	});
});

test('a stop at any moment frees the key of an unsent request and completes one under way', async () => {
	store.latencyMs = () => 8;
	const left: boolean[] = [];
	for (let stopAfterMs = 0; stopAfterMs <= 120; stopAfterMs += 1) {
		const id = `stopped after ${stopAfterMs} ms`;
		forgetRequests(bench.sandbox);
		bench.sandbox.fault({ action: { type: 'delay', ms: 20, actFirst: true } });
		const execution = bench.start([{ id }], send(ONCE));
		setTimeout(() => execution.cancel(), stopAfterMs);
		const { run } = readRun(await execution);
		const again = await bench.run([{ id }], send({ ...ONCE, maxWait: 30 }));
		left.push(again.json(NODE)[0]?.skipped === true);
		expect({ stopAfterMs, sent: bench.documents() }).toEqual({ stopAfterMs, sent: [{ id }] });
		expect(['canceled', 'success']).toContain(run.status);
	}
	// Both cases must occur: stops before and after the request has left.
	expect(new Set(left)).toEqual(new Set([true, false]));
});

test('a stop ends a run at once even if the database does not respond', async () => {
	for (const accesses of [0, 3, 7]) {
		let left = accesses;
		store.latencyMs = () => (left-- > 0 ? 0 : 5_000);
		const execution = bench.start([{ id: 'a' }], send(ONCE));
		setTimeout(() => execution.cancel(), 200);
		const { run, ms } = readRun(await execution);
		expect(run.status).toBe('canceled');
		expect(ms).toBeLessThan(2_000);
	}
	store.latencyMs = () => 0;
	await bench.run([{ id: 'a' }], send(ONCE));
	expect(bench.documents()).toEqual([{ id: 'a' }]);
});
