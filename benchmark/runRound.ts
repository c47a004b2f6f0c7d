// Runs work items at the same time, with all their contenders in parallel, each with its own service and key.
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchmarkN8n, PublishedWorkflow, WorkflowRun } from './benchmarkN8n';
import { bestMakespan, windowsOf } from './bestSchedule';
import { CONTENDERS } from './contenders';
import { FIRST_SINGLE, measure, type Observation, requestsFor } from './measure';
import type { ContenderResult, ItemResult } from './results';
import { type ServiceProcess, startOtherClient, startService } from './service';
import {
	CONTENDER_IDS,
	type ContenderId,
	otherClientEverySeconds,
	type WorkItem,
} from './workItems';

/** Contenders that send everything at once must not delay the first requests of the others. */
const SECONDS_BETWEEN_STARTS = 2;

/** A contender that is ready to start on a work item. */
interface Ready {
	item: WorkItem;
	contender: ContenderId;
	service: ServiceProcess;
	/** One for each workflow of the item, and one for single requests if there are any. */
	workflows: PublishedWorkflow[];
	executionsPerWorker(): Promise<number[] | undefined>;
}

async function prepare(n8n: BenchmarkN8n, item: WorkItem, contender: ContenderId): Promise<Ready> {
	const service = await startService({
		windowMode: 'both',
		limits: item.limits,
		latency: { minMs: item.latencyMs, maxMs: item.latencyMs },
		retryAfter: CONTENDERS[contender].retryAfter,
		// One contact, so that a read gives one item.
		contactCount: 1,
		countRefused: item.isRefusedCounted,
	});
	const count = item.workflows.length + (item.singlesEverySeconds === undefined ? 0 : 1);
	const workflows = await n8n.publish(CONTENDERS[contender], service, item, count);
	const executionsPerWorker = () => n8n.executionsPerWorker(workflows);
	return { item, contender, service, workflows, executionsPerWorker };
}

/** Starts all workflows of the item at once and waits until they have ended. */
async function runWorkflows({ workflows, item }: Ready): Promise<WorkflowRun[]> {
	let next = 1;
	const runs = item.workflows.map(async (count, index) => {
		const first = next;
		next += count;
		return await workflows[index]?.run(first, count);
	});
	return (await Promise.all(runs)).flatMap((run) => run ?? []);
}

/** Sends single requests at an interval until the work is done. Returns their arrivals. */
async function sendSingles(
	{ workflows, service }: Ready,
	everySeconds: number,
	work: Promise<unknown>,
): Promise<Observation['arrivals']> {
	const arrivals: Observation['arrivals'] = [];
	const calls: Promise<unknown>[] = [];
	let isDone = false;
	const done = work.finally(() => (isDone = true));
	for (;;) {
		await Promise.race([sleep(everySeconds * 1000), done]);
		if (isDone) break;
		const number = FIRST_SINGLE + arrivals.length;
		const now = performance.timeOrigin + performance.now();
		arrivals.push({ number, atMs: now - service.startedAtMs });
		calls.push(workflows.at(-1)?.run(number, 1) ?? Promise.resolve());
	}
	await Promise.all(calls);
	return arrivals;
}

async function runAgain(ready: Ready, seconds: number) {
	await sleep(seconds * 1000);
	await runWorkflows(ready);
	return await ready.service.journal();
}

async function runContender(ready: Ready): Promise<ContenderResult> {
	const { item, contender, service } = ready;
	const { singlesEverySeconds, runAgainAfterSeconds, otherClientShare } = item;
	const endOtherClient =
		otherClientShare === undefined
			? undefined
			: startOtherClient(service, otherClientEverySeconds(otherClientShare));
	const work = runWorkflows(ready);
	// Even if the contender has lost its batch before the first single request arrives.
	const atLeastMs = bestMakespan(requestsFor(item), windowsOf(item.limits, item.endpoint));
	const arrivals =
		singlesEverySeconds === undefined
			? []
			: await sendSingles(ready, singlesEverySeconds, Promise.all([work, sleep(atLeastMs)]));
	const runs = await work;
	endOtherClient?.();
	const journal = await service.journal();
	const journalAfterSecondRun =
		runAgainAfterSeconds === undefined ? undefined : await runAgain(ready, runAgainAfterSeconds);
	const result = measure({
		contender,
		item,
		journal,
		journalAfterSecondRun,
		runs,
		arrivals,
		executionsPerWorker: await ready.executionsPerWorker(),
	});
	const { itemsThrough, items, refused, makespanMs } = result;
	console.log(
		`  ${item.id}, ${CONTENDERS[contender].title}: ${itemsThrough} of ${items}, ${refused} refused, ` +
			`${(makespanMs / 1000).toFixed(1)} s`,
	);
	return result;
}

/**
 * Runs work items.
 *
 * @throws if a contender cannot be run; lost items are a result
 */
export async function runRound(n8n: BenchmarkN8n, items: WorkItem[]): Promise<ItemResult[]> {
	const pairs = CONTENDER_IDS.flatMap((contender) =>
		items
			.filter(({ contenders }) => contenders.includes(contender))
			.map((item) => [item, contender] as const),
	);
	const ready = await Promise.all(pairs.map(([item, contender]) => prepare(n8n, item, contender)));
	const running = ready.map(async (one, position) => {
		await sleep(position * SECONDS_BETWEEN_STARTS * 1000);
		return { id: one.item.id, result: await runContender(one) };
	});
	const done = await Promise.all(running);
	await Promise.all(ready.map(({ service }) => service.stop()));
	return items.map((item) => ({
		item: item.id,
		contenders: done.filter(({ id }) => id === item.id).map(({ result }) => result),
	}));
}
