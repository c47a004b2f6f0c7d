// Whatever happens to n8n's saves: no event is lost, and one is emitted again only if n8n has neither saved nor still holds
// the state after its first emission.

import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { EventCopy } from '../support/eventCopy';
import { paginationOf } from '../support/histories';
import { after } from '../support/logicalTime';
import {
	KNOWN_HISTORIES,
	type SaveHistory,
	saveHistory,
	type SavedPoll,
} from '../support/saveHistories';
import { type N8nProcess, SavingN8n } from '../support/savingN8n';
import { SimulatedList } from '../support/simulatedList';
import { useTriggerBench } from '../support/triggerBench';

const RUNS = Number(process.env.TRIGGER_RUNS ?? 30);
const SEED = Number(process.env.TRIGGER_SEED ?? 2026);
const POLLS_APART_MS = 60_000;
/** How long after a poll with events another node of the workflow emits its items. */
const CLOCK_MS = 500;
/** Until the last late save has landed. */
const ALL_SAVED_MS = 100_000;

let mockN8n = new SavingN8n();
jest.mock('../../nodes/BusinessData/n8nInternals/services', () => ({
	...jest.requireActual<object>('../../nodes/BusinessData/n8nInternals/services'),
	findService: (_: string, name: string) =>
		name === 'WorkflowStaticDataService' ? mockN8n.service : undefined,
}));

const bench = useTriggerBench();

type Copy = ReadonlyMap<string, object>;

async function play(history: SaveHistory): Promise<unknown> {
	const { paging, pageSize, length, polls } = history;
	const list = new SimulatedList({ paging, pageSize, order: 'own' }, length);
	const n8n = (mockN8n = new SavingN8n());
	const options = { ...paginationOf(history), maxDeletionPercent: 100 };
	const start = () => n8n.start((staticData) => bench.trigger({ options }, { staticData }));

	/** By the text of a remembered state: a copy with all events that led to it. */
	const copies = new Map<string, Copy>([['', list.records]]);
	const falseEvents: string[] = [];
	const durable = new Set<N8nProcess['trigger']>();
	/** The copies for the states that the last poll may have begun with: each of two processes may have saved one. */
	const copiesOf = ({ seen }: N8nProcess): Copy[] => {
		const newest = Math.max(...seen.slice(-2).map(({ revision }) => revision));
		const those = seen.filter(({ revision }) => revision === newest);
		return those.map(({ text }) => copies.get(text) ?? new Map());
	};
	n8n.onSave = (process, { text }) => {
		if (!copies.has(text)) copies.set(text, copiesOf(process)[0] as Copy);
	};
	const emit = (process: N8nProcess, events: IDataObject[]) => {
		const played = copiesOf(process).map((one) => {
			const copy = new EventCopy(one);
			copy.play(events, list.records);
			return copy;
		});
		const [first] = played as [EventCopy];
		const copy = played.find((one) => one.falseEvents.length === 0) ?? first;
		falseEvents.push(...copy.falseEvents);
		copies.set(process.held.text, copy.records);
	};

	const poll = async (
		n8nProcess: N8nProcess,
		{ strikes = [], save, ends, slowMs = 0 }: Partial<SavedPoll>,
	) => {
		// The durable scheduler asks n8n's database before it emits, and gives each poll its own workflow.
		const isDurable = ends === 'emittedLate';
		if (isDurable || durable.has(n8nProcess.trigger)) n8nProcess.republish();
		const { trigger } = n8nProcess;
		if (isDurable) durable.add(trigger);
		n8nProcess.save = save;
		const left = [...strikes];
		bench.service.response = (query, response) => {
			const body = JSON.stringify(list.body(query));
			for (const change of left.shift() ?? []) list.change(change);
			response.setHeader('content-type', 'application/json');
			setTimeout(() => response.end(body), slowMs);
			return undefined;
		};
		let events: IDataObject[];
		try {
			events = await trigger.poll(isDurable ? { getPollBudgetMs: () => 20_000 } : {});
		} catch {
			return;
		}
		if (events.length === 0) return;
		if (isDurable) await after(50);
		else setTimeout(() => void n8nProcess.saveHeld(trigger), CLOCK_MS);
		if (ends === 'killed') n8nProcess.isAlive = false;
		// It was edited, or the process has ended: n8n discards the items.
		if (!n8nProcess.isAlive || n8nProcess.trigger !== trigger) return;
		emit(n8nProcess, events);
		const { text } = n8nProcess.held;
		const mayFail = n8nProcess.save !== undefined;
		if (ends === 'killedBeforeSave') n8nProcess.isAlive = false;
		else void n8nProcess.saveHeld();
		if (n8nProcess.isAlive && !mayFail && n8n.saved.text !== text) falseEvents.push('Not saved');
	};

	const processes = [start(), undefined] as Array<N8nProcess | undefined>;
	const at = (index: number) => (processes[index] ??= start());
	await poll(at(0), {});
	const underWay: Array<Promise<void>> = [];
	const executions: Array<{ polls: number; end: () => void }> = [];
	for (const one of polls) {
		for (const change of one.changes) list.change(change);
		const { process = 0, begins } = one;
		if (begins === 'republished') at(process).republish();
		if (begins === 'killed') at(process).isAlive = false;
		if (!at(process).isAlive) processes[process] = undefined;
		if (one.execution !== undefined) {
			executions.push({ polls: one.execution, end: n8n.execute() });
		}
		const ended = poll(at(process), one);
		underWay.push(ended);
		if (one.isOverlapped) await after(200);
		else {
			await ended;
			await after(POLLS_APART_MS);
		}
		for (const execution of executions) if (execution.polls-- === 0) execution.end();
	}
	await Promise.all(underWay);
	for (const execution of executions) if (execution.polls >= 0) execution.end();
	await after(ALL_SAVED_MS);
	const last = processes[0]?.isAlive ? processes[0] : start();
	for (let times = 0; times < 4; times++) {
		await poll(last, {});
		await after(POLLS_APART_MS);
	}
	const copy = new EventCopy(copiesOf(last)[0]);
	return { falseEvents, ...copy.differencesFrom(list.records) };
}

test('late, lost, repeated or reverted saves lose no event and repeat only unsaved ones', async () => {
	const property = fc.asyncProperty(saveHistory, async (history) => {
		expect(await play(history)).toEqual({ falseEvents: [], missing: [], left: [] });
	});
	await fc.assert(property, { numRuns: RUNS, seed: SEED, examples: KNOWN_HISTORIES });
}, 600_000);
