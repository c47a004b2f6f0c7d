// Checks a fault rule that was given from outside, so that a misspelt rule fails at once instead of
// doing nothing.

import { MAXIMUM_MEGABYTES } from './answers';
import type { FaultAction, FaultRule } from './faults';
import { isRecord } from './record';
import { RETRY_AFTER_FORMS } from './refusal';

interface Field {
	is: (value: unknown) => boolean;
	form: string;
	optional?: boolean;
}

function numberBetween(least: number, most: number, optional = false): Field {
	return {
		is: (value) => typeof value === 'number' && value >= least && value <= most,
		form: `a number from ${least} to ${most}`,
		optional,
	};
}

const wholeNumber = (least: number, most: number): Field => ({
	is: (value) => Number.isInteger(value) && numberBetween(least, most).is(value),
	form: `a whole number from ${least} to ${most}`,
});
const flag: Field = { is: (value) => typeof value === 'boolean', form: 'true or false' };
const text: Field = { is: (value) => typeof value === 'string', form: 'a text' };
const anything: Field = { is: () => true, form: 'anything', optional: true };
const headers: Field = {
	is: (value) => isRecord(value) && Object.values(value).every((entry) => text.is(entry)),
	form: 'an object of texts',
	optional: true,
};

// The longest wait that Node's timers can hold.
const LONGEST_WAIT_MS = 2 ** 31 - 1;

const ACTION_FIELDS: Record<FaultAction['type'], Record<string, Field>> = {
	status: {
		status: wholeNumber(200, 599),
		body: anything,
		headers,
		contentType: { ...text, optional: true },
		act: { ...flag, optional: true },
		afterMs: { ...numberBetween(0, LONGEST_WAIT_MS), optional: true },
	},
	refuse: {
		retryAfter: {
			is: (value) => RETRY_AFTER_FORMS.some((form) => form === value),
			form: RETRY_AFTER_FORMS.join(' or '),
		},
		waitMs: numberBetween(0, LONGEST_WAIT_MS),
	},
	hangUpBeforeActing: {},
	hangUpAfterActing: {},
	delay: { ms: numberBetween(0, LONGEST_WAIT_MS), actFirst: flag },
	neverAnswer: { act: flag },
	truncate: {},
	brokenJson: {},
	emptyBody: {},
	hugeBody: { megabytes: wholeNumber(1, MAXIMUM_MEGABYTES) },
	trickle: { bytes: wholeNumber(1, 1024 * 1024), everyMs: numberBetween(0, 60_000) },
};

const RULE_FIELDS: Record<string, Field> = {
	endpoint: {
		is: (value) => typeof value === 'string' && /^[A-Za-z]+ \//.test(value),
		form: '"METHOD /path"',
		optional: true,
	},
	marker: { ...text, optional: true },
	times: numberBetween(1, Infinity, true),
	after: numberBetween(0, Infinity, true),
	probability: numberBetween(0, 1, true),
	action: { is: isRecord, form: 'an object' },
};

function checkFields(
	place: string,
	value: Record<string, unknown>,
	fields: Record<string, Field>,
): void {
	for (const name of Object.keys(value)) {
		if (!Object.hasOwn(fields, name)) throw new Error(`${place} has no field "${name}"`);
	}
	for (const [name, field] of Object.entries(fields)) {
		if (value[name] === undefined && field.optional === true) continue;
		if (!field.is(value[name])) throw new Error(`${place}: "${name}" must be ${field.form}`);
	}
}

/** The value as a fault rule. Throws an error that names the place when it is none. */
export function checkFaultRule(value: unknown): FaultRule {
	if (!isRecord(value)) throw new Error('A fault rule must be an object');
	// JSON has no Infinity and writes null in its place.
	const rule = value.times === null ? { ...value, times: Infinity } : value;
	checkFields('A fault rule', rule, RULE_FIELDS);
	const action = rule.action as Record<string, unknown>;
	const { type, ...actionFields } = action;
	if (typeof type !== 'string' || !Object.hasOwn(ACTION_FIELDS, type)) {
		throw new Error(`The type of an action is one of ${Object.keys(ACTION_FIELDS).join(', ')}`);
	}
	checkFields(`The action "${type}"`, actionFields, ACTION_FIELDS[type as FaultAction['type']]);
	return rule as unknown as FaultRule;
}
