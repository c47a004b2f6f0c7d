// Behind a node that breaks the lineage of items, n8n may not find what an item came from (n8n#37407). A failed
// item must leave by the error output all the same, and never by the output of those that succeeded.

import type { INode, IPairedItemData } from 'n8n-workflow';

import { itemsOf, NO_LIMITS, NODE, useBench } from '../support/bench';
import { ITEMS_TYPE, linksTo, nodeOf, workflowOf } from '../support/engineWorkflow';
import {
	apiRequest,
	DELETE_ENDPOINT,
	deleteMany,
	send,
	SEND_ENDPOINT,
} from '../support/parameters';

const bench = useBench({ limits: NO_LIMITS });

/** How the node in front gives out three items, of which it got two. */
const LINEAGES: Array<[string, IPairedItemData[]]> = [
	['that gives none', []],
	['that names items that are not there', [7, 8, 9].map((item) => ({ item }))],
	['that names an input that is not there', [0, 1, 0].map((item) => ({ item, input: 3 }))],
	['that gives one of three alone', [{ item: 1 }]],
];
const failing = (path: string) => `={{ $json.id === 1 ? ${path} : "/sandbox/echo" }}`;

/** By operation, parameters with which the second item fails, and the endpoint that refuses it. */
const OPERATIONS: Array<[string, INode['parameters'], endpoint?: string]> = [
	['a read', apiRequest('GET', failing('"/nowhere"'))],
	['a send', send(), SEND_ENDPOINT],
	['a deletion', deleteMany({ batchSize: 1 }), DELETE_ENDPOINT],
	['a value from before the break', apiRequest('POST', failing('$("Start").item.json.path'))],
];
const cases = LINEAGES.flatMap(([lineage, pairedItems]) =>
	OPERATIONS.map(([name, parameters, endpoint]) => ({
		...{ lineage, pairedItems, name, parameters, endpoint },
	})),
);

test.each(cases)(
	'$name that fails behind a node $lineage leaves by the error output',
	async ({ pairedItems, parameters, endpoint }) => {
		const action = { type: 'status', status: 400 } as const;
		if (endpoint !== undefined) bench.sandbox.fault({ endpoint, after: 1, action });
		const workflow = workflowOf(itemsOf(2), parameters, { onError: 'continueErrorOutput' });
		workflow.nodes.push(nodeOf('Code', ITEMS_TYPE, { items: itemsOf(3), pairedItems }));
		workflow.connections = { Start: linksTo('main', 'Code'), Code: linksTo('main', NODE) };
		const result = await bench.engine.run(workflow, { key: bench.credential });
		expect(result.run.status).toBe('success');
		const itemsOfOutput = (output: number) =>
			result.items(NODE, output).flatMap(({ pairedItem }) => pairedItem);
		expect([itemsOfOutput(0), itemsOfOutput(1)]).toEqual([
			[{ item: 0 }, { item: 2 }],
			[{ item: 1 }],
		]);
		expect(result.items(NODE, 1)[0]?.error?.message).toBeTruthy();
	},
);
