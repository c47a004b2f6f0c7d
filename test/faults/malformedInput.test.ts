// Malformed values in every parameter and every field of the credential: refused with an error that names
// the field, with nothing sent; or, where the value is valid after all, a proper result.
//
// FAULTS_SEED repeats a run.

import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { readAccount } from '../../nodes/BusinessData/transport/account';
import { type Sandbox, startSandbox } from '../../sandbox/server';
import { NODE, type ShownError } from '../support/bench';
import { useDeduplicator } from '../support/deduplicator';
import { Engine } from '../support/engine';
import { workflowOf } from '../support/engineWorkflow';
import { report } from '../support/report';
import { credentialFor } from '../support/scaledLimits';
import { malformedValueOf, mustBeRefused } from './malformedValues';
import { allPlaces, type Place } from './places';

const SEED = Number(process.env.FAULTS_SEED ?? Math.floor(Math.random() * 1e6));
const VALUES_PER_PLACE = 10;

let engine: Engine;
let sandbox: Sandbox;
let store: Awaited<ReturnType<typeof useDeduplicator>>;

const LIMITS = { general: [], endpoints: {} };
/** Where the sandbox of a test will be is known when it has started; its key is always the same. */
const places = allPlaces(credentialFor({ baseUrl: '', apiKey: '' }));
const counts = { refused: 0, byN8n: 0, byService: 0, valid: 0, elsewhere: 0 };
const covered = new Set<string>();

beforeAll(async () => {
	report(`Malformed input: FAULTS_SEED=${SEED}, ${places.length} places`);
	engine = await Engine.load();
	store = await useDeduplicator();
	sandbox = await startSandbox({ limits: LIMITS });
});
afterAll(async () => await sandbox.stop());

/** What a user sees: the error, or the output. */
type Shown =
	| { error: ShownError }
	| { items: IDataObject[] }
	/** n8n itself does not even start the workflow. */
	| { byN8n: Error };

function credentialOf(fields: IDataObject = {}) {
	return {
		...credentialFor(sandbox),
		customize: true,
		limits: JSON.stringify(LIMITS),
		// Without nodes, no other field of a cluster or of Sentinels would matter.
		redisNodes: '127.0.0.1:26379',
		...fields,
	} as ReturnType<typeof credentialFor>;
}

async function show(place: Place, value: unknown): Promise<Shown> {
	const values = place.withValue(value) as IDataObject;
	if (place.of === 'trigger') return await showPoll(place, values);
	const isCredential = place.of === 'credential';
	const parameters = { resource: 'contact', operation: 'deleteMany', ids: 'a', options: {} };
	const credential = credentialOf(isCredential ? ownValueOf(place, values) : {});
	const workflow = workflowOf([{ name: 'a' }], (isCredential ? parameters : values) as never);
	try {
		const run = await engine.run(workflow, { key: credential });
		if (run.run.status === 'success') return { items: run.json(NODE) };
		return { error: run.run.data.resultData.error as unknown as ShownError };
	} catch (error) {
		return { byN8n: error as Error };
	}
}

async function showPoll({ property }: Place, values: IDataObject): Promise<Shown> {
	const { options = {}, ...others } = values;
	const isOptions = property.name === 'options';
	const emitting = isOptions ? options : { emitExisting: true, ...(options as IDataObject) };
	try {
		const parameters = { ...others, options: emitting } as never;
		const trigger = engine.trigger(parameters, { key: credentialOf() });
		return await trigger.poll().then(
			(items) => ({ items }),
			(error: ShownError) => ({ error }),
		);
	} catch (error) {
		return { byN8n: error as Error };
	}
}

/** The field of the credential alone, and what shows it. */
function ownValueOf({ property }: Place, values: IDataObject): IDataObject {
	const show = Object.entries(property.displayOptions?.show ?? {});
	const beside = Object.fromEntries(show.map(([name, shown]) => [name, shown?.[0]])) as IDataObject;
	return { ...beside, [property.name]: values[property.name] };
}

/** Whether the value is valid but leads away from the sandbox, so that no request can be made. */
function leadsElsewhere(place: Place, value: unknown): boolean {
	if (place.of !== 'credential') return false;
	try {
		const account = readAccount(credentialOf(ownValueOf(place, place.withValue(value))));
		return account.ledger !== undefined || account.baseUrl !== sandbox.baseUrl;
	} catch {
		return false;
	}
}

function describeShown(shown: Shown): string {
	if ('byN8n' in shown) return String(shown.byN8n);
	return 'error' in shown
		? `${shown.error.message} — ${shown.error.description}`
		: JSON.stringify(shown.items);
}

/** @throws when the value has led to anything but a clear refusal or a proper result */
async function check(place: Place, value: unknown): Promise<void> {
	covered.add(place.name);
	if (leadsElsewhere(place, value)) {
		counts.elsewhere++;
		expect(mustBeRefused(place.property, value)).toBe(false);
		return;
	}
	sandbox.reset();
	store.clear();
	const shown = await show(place, value);
	const requests = sandbox.journal.all();
	const what = `${place.name} = ${JSON.stringify(value) ?? String(value)}: ${describeShown(shown)}`;
	if ('byN8n' in shown) {
		counts.byN8n++;
		return expect([what, requests]).toEqual([what, []]);
	}
	if ('error' in shown && requests.length === 0) {
		counts.refused++;
		const { message, description, context } = shown.error;
		expect([what, place.labels.some((label) => message.startsWith(`${label}: `))]).toEqual([
			what,
			true,
		]);
		expect([what, typeof description === 'string' && description.length > 10]).toEqual([
			what,
			true,
		]);
		return expect([what, context.outcome]).toEqual([what, 'notSent']);
	}
	expect([what, mustBeRefused(place.property, value)]).toEqual([what, false]);
	if ('error' in shown) {
		// A path that the sandbox does not know, or the place of a list that is not in its answers.
		counts.byService++;
		const { message, description } = shown.error;
		const isNamed = place.labels.some((label) => `${message} ${description}`.includes(label));
		expect([what, isNamed || message.startsWith('The service answered 4')]).toEqual([what, true]);
		const isValue = ['string', 'number'].includes(typeof value) || place.property.type === 'json';
		return expect([what, isValue]).toEqual([what, true]);
	}
	counts.valid++;
	const needsRequest =
		!/dryRun|rateLimit/.test(place.name) && !('dryRun' in (shown.items[0] ?? {}));
	if (needsRequest && !place.name.includes('operation'))
		expect([what, requests.length > 0]).toEqual([what, true]);
}

test.each(places.map((place) => [place.name, place] as const))('%s', async (_, place) => {
	await fc.assert(
		fc.asyncProperty(malformedValueOf(place.property), async (value) => await check(place, value)),
		{ seed: SEED, numRuns: VALUES_PER_PLACE, endOnFailure: true },
	);
});

test('every parameter and every field was covered, with more than 500 values', () => {
	report(`Malformed input: ${JSON.stringify(counts)}`);
	expect([...covered].sort()).toEqual(places.map(({ name }) => name).sort());
	const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
	expect(all).toBeGreaterThanOrEqual(500);
	expect(counts.refused).toBeGreaterThan(250);
});
