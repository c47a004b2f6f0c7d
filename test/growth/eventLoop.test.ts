// Up to 100,000 input items through the node in n8n's engine: n8n's event loop goes on meanwhile.

import type { INode } from 'n8n-workflow';

import { loadNode } from '../../bench/growth/nodeLoad';
import { Engine } from '../support/engine';
import { apiRequest, deleteMany, send } from '../support/parameters';
import { report } from '../support/report';

const ITEMS = 100_000;
/** Of operations that take as long for each item. */
const FEWER_ITEMS = 15_000;
const LONGEST_HOLD_MS = 50;
/** Of the time of a run, how much longer holds may take: what V8's own threads do counts as well. */
const MOST_IN_LONGER_HOLDS = 0.05;

let engine: Engine;
beforeAll(async () => {
	engine = await Engine.load();
});

const NOT_A_BODY = { dataMode: 'json', jsonBody: '={{ "text " + $json.id }}' };
/** The items of all but the first fail in preparation, so that no request gives others their turn. */
const CASES: Array<[string, INode['parameters'], items: number, requests: number]> = [
	['Delete Many', deleteMany(), ITEMS, ITEMS / 100],
	['Send', { ...send(), ...NOT_A_BODY }, FEWER_ITEMS, 0],
	['API Request', apiRequest('GET', '={{ "no path " + $json.id }}'), FEWER_ITEMS, 0],
];

test.each(CASES)(
	'%s lets go of the event loop',
	async (name, parameters, items, requests) => {
		const settings = { onError: 'continueRegularOutput' } as const;
		// Compiles what it takes.
		await loadNode(engine, parameters, items / 100, settings);
		const load = await loadNode(engine, parameters, items, settings);
		const { holdsMs, durationMs } = load;
		const longestMs = Math.max(...holdsMs).toFixed(0);
		report(`${name}: ${longestMs} ms at most, of ${durationMs.toFixed(0)} ms`);
		expect(load.requests).toBe(requests);
		const inLongerHolds = holdsMs.filter((ms) => ms > LONGEST_HOLD_MS).reduce((a, b) => a + b, 0);
		expect(inLongerHolds / durationMs).toBeLessThan(MOST_IN_LONGER_HOLDS);
	},
	300_000,
);
