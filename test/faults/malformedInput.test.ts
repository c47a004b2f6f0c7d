// Malformed values in every parameter and every field of the credential: refused with an error that names
// the field, with nothing sent; or, where the value is valid after all, a proper result.
//
// FAULTS_SEED repeats a run.

import * as fc from 'fast-check';

import { readAccount } from '../../nodes/BusinessData/transport/account';
import { report } from '../support/report';
import { type Shown, useInputs } from './inputs';
import { malformedValueOf, mustBeRefused } from './malformedValues';
import type { Place } from './places';

const SEED = Number(process.env.FAULTS_SEED ?? Math.floor(Math.random() * 1e6));
const VALUES_PER_PLACE = 10;

const inputs = useInputs();
const places = inputs.places;
const counts = { refused: 0, byN8n: 0, byService: 0, valid: 0, elsewhere: 0 };
const covered = new Set<string>();

beforeAll(() => report(`Malformed input: FAULTS_SEED=${SEED}, ${places.length} places`));

/** Whether the value is valid but leads away from the sandbox, so that no request can be made. */
function leadsElsewhere(place: Place, value: unknown): boolean {
	if (place.of !== 'credential') return false;
	try {
		const account = readAccount(inputs.credentialOf(place, value));
		return account.limitStore !== undefined || account.baseUrl !== inputs.sandbox.baseUrl;
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
	const { shown, requests } = await inputs.show(place, value);
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
		// A path that the sandbox does not know, or the place of a list that is not in its responses.
		counts.byService++;
		const { message, description } = shown.error;
		const isNamed = place.labels.some((label) => `${message} ${description}`.includes(label));
		expect([what, isNamed || message.startsWith('The service answered 4')]).toEqual([what, true]);
		// n8n puts the default in the place of null.
		const isValue =
			value === null ||
			['string', 'number'].includes(typeof value) ||
			place.property.type === 'json';
		return expect([what, isValue]).toEqual([what, true]);
	}
	counts.valid++;
	const needsRequest =
		!/dryRun|rateLimit|sentDocument/.test(place.name) && !('dryRun' in (shown.items[0] ?? {}));
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
