/** Generates the nodes of the simulated workflows. */
import type { SavedNode } from '../n8n/workflow';
import type { LimitTable } from '../../../sandbox/limits';
import type { Random } from '../world/random';

export interface PlannedNode {
	kind: 'read' | 'send' | 'delete' | 'wait';
	node: SavedNode;
	/** The documents that a node with a Send Once Key may send. */
	documents?: string[];
	mostItems: number;
	tool?: 'agent' | 'mcp';
}

const SENDS = [
	{ resource: 'transaction', operation: 'send' },
	{ resource: 'transaction', operation: 'send' },
	{ resource: 'payment', operation: 'send' },
	{ resource: 'transaction', operation: 'sendWp' },
	{ resource: 'apiRequest', operation: 'send', method: 'POST', path: '/echo' },
];
const LIMITED = SENDS.slice(0, 3);
const QUERY = { queryParameters: { parameters: [{ name: 'item', value: '={{ $json.id }}' }] } };
const ONCE = { sendOnceKey: '={{ $json.id }}' };

/** @param isMixed whether there must be reads, and sends to an endpoint with its own limit */
export function nodesOf(random: Random, limits: LimitTable, isMixed: boolean): PlannedNode[] {
	const nodes: PlannedNode[] = [];
	const add = (planned: Omit<PlannedNode, 'node'>, parameters: object, options: object) => {
		const id = `n${nodes.length}`;
		const node: SavedNode = {
			id,
			workflowId: `w${random.whole(0, 2)}`,
			parameters: { ...parameters, options: { ...commonOptions(random), ...options } },
			credential: 'main',
			...settingsOf(random),
		};
		nodes.push({ ...planned, node });
	};
	// Enough to fill every window.
	const mostReads = Math.min(30, 2 * (limits.general[1]?.max ?? 10));
	for (let count = random.whole(isMixed ? 1 : 0, 2); count > 0; count--) {
		const isContacts = random.chance(0.5);
		const parameters = isContacts
			? { resource: 'contact', operation: 'getMany', returnAll: true }
			: { resource: 'apiRequest', operation: 'send', method: 'GET', path: '/echo' };
		add({ kind: 'read', mostItems: mostReads }, parameters, QUERY);
	}
	// Few, if each may wait for ten minutes.
	const mostSends = isMixed || !hasLongWindows(limits) ? 5 : 2;
	for (let count = random.whole(1, 2); count > 0; count--) {
		const tool = isMixed ? undefined : toolOf(random);
		const parameters = { ...random.one(isMixed ? LIMITED : SENDS), dataMode: 'autoMapInputData' };
		add({ kind: 'send', mostItems: mostSends, tool }, parameters, formatOf(random, parameters));
	}
	const memory = random.of('memory');
	for (let count = random.whole(0, 2); count > 0; count--) {
		const documents = Array.from(
			{ length: random.whole(2, 6) },
			(_, index) => `o${count}d${index}`,
		);
		const parameters = { ...random.one(SENDS), dataMode: 'autoMapInputData' };
		const tool = toolOf(random);
		const remembered = memory.chance(0.3) ? { sendOnceMaxEntries: memory.whole(1, 4) } : {};
		add({ kind: 'send', mostItems: 6, documents, tool }, parameters, { ...ONCE, ...remembered });
	}
	if (random.chance(0.3)) {
		const resource = random.one(['contact', 'transaction']);
		const parameters = { resource, operation: 'deleteMany', ids: '={{ $json.id }}' };
		add({ kind: 'delete', mostItems: 9 }, parameters, { batchSize: random.whole(1, 3) });
	}
	const room = random.of('room');
	if (room.chance(0.25)) {
		const limitOf = room.one(Object.keys(LIMITS_WITH_ROOM) as Array<keyof typeof LIMITS_WITH_ROOM>);
		const most = LIMITS_WITH_ROOM[limitOf](limits)?.max ?? 1;
		add(
			{ kind: 'wait', mostItems: 3 },
			{ resource: 'rateLimit', operation: 'waitForRoom', limitOf, requests: room.whole(1, most) },
			{ parkAfter: room.one([0, 65, 10_000]) },
		);
	}
	return nodes;
}

/** The limits that Wait for Room can wait for, each with its longest window. */
export const LIMITS_WITH_ROOM = {
	general: ({ general }: LimitTable) => general.at(-1),
	'transaction:send': ({ endpoints }: LimitTable) => endpoints['POST /txndata/sendTxn'],
	'payment:send': ({ endpoints }: LimitTable) => endpoints['POST /txndata/sendPayment'],
};

function hasLongWindows({ endpoints }: LimitTable): boolean {
	return Object.values(endpoints).some(({ windowSeconds }) => windowSeconds > 300);
}

function toolOf(random: Random): PlannedNode['tool'] {
	return random.chance(0.2) ? random.one(['agent', 'mcp']) : undefined;
}

/** As a file, the response is stored after the service has acted, which may fail. */
function formatOf(random: Random, { resource }: { resource: string }): object {
	return resource === 'apiRequest' && random.chance(0.5) ? { responseFormat: 'file' } : {};
}

function commonOptions(random: Random): object {
	return {
		timeout: random.one([5, 10, 60]),
		...(random.chance(0.12) ? { maxWait: random.one([1, 10, 100, 700]) } : {}),
	};
}

function settingsOf(random: Random): Partial<SavedNode> {
	const isRetried = random.chance(0.3);
	return {
		onError: random.one(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput']),
		...(isRetried
			? {
					retryOnFail: true,
					maxTries: random.whole(2, 4),
					waitBetweenTries: random.one([0, 1000, 5000]),
				}
			: {}),
	};
}
