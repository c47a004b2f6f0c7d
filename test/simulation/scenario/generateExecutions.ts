/** Generates the executions of a plan, and their times. */
import type { Random } from '../world/random';
import type { PlannedNode } from './generateNodes';
import { isSendOnce, type PlannedExecution, type PlannedProcess, type Span } from './plan';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

/** A busy time with several overlapping executions. */
export interface Rush {
	from: number;
	until: number;
}

export function rushesOf(random: Random): Rush[] {
	const count = random.whole(1, 3);
	let from = random.between(1_000, HOUR_MS);
	return Array.from({ length: count }, () => {
		const rush = { from, until: from + random.one([2_000, 20_000, 90_000]) };
		from =
			rush.until + random.one([MINUTE_MS, 20 * MINUTE_MS, 6 * HOUR_MS]) * (0.5 + random.next());
		return rush;
	});
}

export function executionsOf(
	random: Random,
	nodes: PlannedNode[],
	rushes: Rush[],
	processes: PlannedProcess[],
	isMixed: boolean,
): PlannedExecution[] {
	const executions: PlannedExecution[] = [];
	const add = (
		planned: PlannedNode,
		process: number,
		at: number,
		most = planned.mostItems,
		least = 1,
	) => {
		const id = `e${executions.length}`;
		const items = itemsOf(random, planned, id, [least, most]);
		const copy = random.whole(0, 1);
		executions.push({ id, at, process, node: planned.node.id, items, copy, tool: planned.tool });
	};
	const anywhere = () => random.whole(0, processes.length - 1);
	const reads = nodes.filter(({ kind }) => kind === 'read');
	const sends = nodes.filter(({ kind }) => kind === 'send');
	for (const { from, until } of rushes) {
		const sometime = () => random.between(from, until);
		if (isMixed) {
			// One process reads much and sends, others send much: the request that waits longest must get its turn.
			const busy = anywhere();
			const send = sends[0] as PlannedNode;
			for (let n = random.whole(4, 6); n > 0; n--) {
				const read = random.one(reads);
				add(read, busy, from, read.mostItems, Math.ceil(read.mostItems / 2));
			}
			add(send, busy, from + random.between(100, 5_000), 3);
			for (let n = random.whole(2, 3); n > 0; n--)
				add(send, (busy + 1) % processes.length, from, 8, 8);
			continue;
		}
		const choices = random.chance(0.2) ? [random.one(nodes)] : nodes;
		for (let n = random.whole(2, 6); n > 0; n--) add(random.one(choices), anywhere(), sometime());
	}
	return executions;
}

function itemsOf(random: Random, { documents }: PlannedNode, execution: string, count: Span) {
	if (documents !== undefined) {
		return random
			.shuffled(documents)
			.slice(0, random.whole(...count))
			.map((id) => ({ id }));
	}
	return Array.from({ length: random.whole(...count) }, (_, index) => ({
		id: `${execution}i${index}`,
	}));
}

/** Runs all documents with a Send Once Key again at the end, without faults. */
export function finalRuns(
	nodes: PlannedNode[],
	executions: PlannedExecution[],
	at: number,
): PlannedExecution[] {
	return nodes.flatMap(({ node }, index) => {
		const own = executions.filter((execution) => execution.node === node.id);
		const ids = [...new Set(own.flatMap(({ items }) => items.map(({ id }) => id)))];
		if (!isSendOnce(node) || ids.length === 0) return [];
		const items = ids.map((id) => ({ id }));
		return [
			{ id: `final${index}`, at, process: 0, node: node.id, items, copy: 0, tool: own[0]?.tool },
		];
	});
}
