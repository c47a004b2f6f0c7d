// Malformed values in every parameter and every credential field are refused with an error that names the field, and
// nothing is sent. A value that is valid after all has a proper result.
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
/** The number of values that the node itself has refused. */
let refused = 0;

beforeAll(() => report(`Malformed input: FAULTS_SEED=${SEED}, ${places.length} places`));

/** Whether the value is valid but points away from the sandbox, so that the test cannot send a request. */
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

/** @throws unless the value leads to a clear refusal or a proper result */
async function check(place: Place, value: unknown): Promise<void> {
	if (leadsElsewhere(place, value)) {
		return expect(mustBeRefused(place.property, value)).toBe(false);
	}
	const { shown, requests } = await inputs.show(place, value);
	const what = `${place.name} = ${JSON.stringify(value) ?? String(value)}: ${describeShown(shown)}`;
	if ('byN8n' in shown) return expect([what, requests]).toEqual([what, []]);
	if ('error' in shown && requests.length === 0) {
		refused++;
		const { message, description, context } = shown.error;
		const isNamed = place.labels.some((label) => message.startsWith(`${label}: `));
		const isExplained = typeof description === 'string' && description.length > 10;
		const { outcome } = context;
		return expect({ what, isNamed, isExplained, outcome }).toEqual({
			what,
			isNamed: true,
			isExplained: true,
			outcome: 'notSent',
		});
	}
	expect([what, mustBeRefused(place.property, value)]).toEqual([what, false]);
	if ('error' in shown) {
		// For example a path that the sandbox does not know, or an Items Field that its responses lack.
		const { message, description } = shown.error;
		const isNamed = place.labels.some((label) => `${message} ${description}`.includes(label));
		expect([what, isNamed || message.startsWith('The service answered 4')]).toEqual([what, true]);
		// n8n replaces null with the default.
		const isValue =
			value === null ||
			['string', 'number'].includes(typeof value) ||
			place.property.type === 'json';
		return expect([what, isValue]).toEqual([what, true]);
	}
	const needsRequest =
		!/dryRun|rateLimit|sentDocument/.test(place.name) && !('dryRun' in (shown.items[0] ?? {}));
	if (needsRequest && !place.name.includes('operation'))
		expect([what, requests.length > 0]).toEqual([what, true]);
}

test.each(places.map((place) => [place.name, place] as const))(
	'%s refuses malformed values',
	async (_, place) => {
		await fc.assert(
			fc.asyncProperty(
				malformedValueOf(place.property),
				async (value) => await check(place, value),
			),
			{ seed: SEED, numRuns: VALUES_PER_PLACE, endOnFailure: true },
		);
	},
);

test('the node itself refuses more than 500 of the malformed values', () => {
	report(`Malformed input: ${refused} values were refused`);
	expect(refused).toBeGreaterThan(500);
});
