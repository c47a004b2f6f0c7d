// Unresolved and unintended values, such as undefined or "[object Object]", in every field of both nodes and of the
// credential cause an error that names the field, and no request. Exceptions are listed here with their reason.

import { useInputs } from './inputs';
import type { Place } from './places';

const FUNCTION_TEXT = 'function () { return 1; }';

/** The code of an expression that returns the value, by name. */
const BAD_VALUES: Record<string, string> = {
	undefined: 'undefined',
	null: 'null',
	NaN: 'NaN',
	Infinity: '1 / 0',
	'a number that is not exact': '2 ** 53',
	'a large number': '10n',
	'an invalid date': 'new Date("x")',
	'an invalid DateTime': 'DateTime.fromISO("x")',
	'the text of a date': '"Invalid DateTime"',
	'the text undefined': '"undefined"',
	'the text null': '"null"',
	'the text of an object': '"[object Object]"',
	'the text of a function': JSON.stringify(FUNCTION_TEXT),
	'a function': '(() => 1)',
	'an object': '({ a: 1 })',
	'a list': '[1]',
	'an empty text': '""',
};
/** The values that a saved workflow can contain. */
const WRITTEN: Record<string, unknown> = {
	undefined: undefined,
	null: null,
	'an object': { a: 1 },
	'a list': [1],
	'an empty text': '',
	'the text undefined': 'undefined',
	'the text null': 'null',
	'the text of a date': 'Invalid DateTime',
	'the text of an object': '[object Object]',
	'the text of a function': FUNCTION_TEXT,
};
/** Fields for which `true`, `"0x10"` and `"1e3"` are bad as well. */
const BAD_NUMBERS: Record<string, string> = { true: 'true', hexadecimal: '"0x10"', '1e3': '"1e3"' };

type Form = 'an expression' | 'an expression in a text' | 'as written';

const EVALUATED: Form[] = ['an expression', 'as written'];
const INSIDE: Form[] = ['an expression in a text'];
const WRITTEN_ONLY: Form[] = ['as written'];
const OPTIONAL_TEXT =
	/\.value$|(itemsField|fileField|pageSizeParameter|nextUrlField|\w+Fields|\w+Values|resultField|idempotencyHeader|redisUser|redisTlsServerName|redisTlsCa)$/;
const TEXT_OF_A_PERSON =
	/\.(name|value|\w+Fields?|\w*[pP]arameter|customFormat|field|sendOnceKey)$| (idField|resultField|\w+Values|sendOnceKey|workflowId|idempotencyHeader)$/;

/** Exceptions by their reason: the forms, values (`[]` is any) and fields that may go out nevertheless. */
const RIGHT: Record<string, [forms: Form[], values: readonly string[], places: RegExp]> = {
	'n8n drops an invalid group before the node runs, and the editor allows no expression there': [
		...([EVALUATED, [], /(options|Parameters|pagination|incremental|deletedWhen)$/] as const),
	],
	"n8n replaces the value with the field's default before the node runs": [
		...([WRITTEN_ONLY, ['undefined', 'null', 'an object', 'a list'], /^(?!credential)/] as const),
	],
	'a person has typed this text; only from an expression does it mean that there is no value': [
		...([WRITTEN_ONLY, [], TEXT_OF_A_PERSON] as const),
	],
	'null is valid JSON': [EVALUATED, ['null'], /assignments\.0\.value$/],
	'an empty text is a valid value, or means that the option is unused': [
		...([EVALUATED, ['an empty text'], OPTIONAL_TEXT] as const),
	],
	'the rest of the text may be enough, except where it identifies a record or document': [
		...([INSIDE, ['an empty text'], /^(?!.*(ids|sendOnceKey)$)/] as const),
	],
	'a JSON body is an object or a list': [
		...([EVALUATED, ['an object', 'a list'], / (jsonBody|assignments)$/] as const),
	],
	'IDs may be a list': [[...EVALUATED, ...INSIDE], ['a list'], / ids$/],
	'a password may be any text': [WRITTEN_ONLY, [], /Password$/],
};

/** The most requests that a read of the sandbox's contacts takes. */
const MOST_PAGES = 4;

const inputs = useInputs();
/** Both sources of the trigger have the same options, so one is enough. */
const places = inputs.places.filter(({ name }) => !name.startsWith('trigger/contacts options'));
const used = new Set<string>();

/** @throws if the value went out without a reason, or was refused without naming its field */
function judge(
	place: Place,
	form: Form,
	name: string,
	message: string | undefined,
	hasGoneOut: boolean,
): void {
	const what = `${place.name}: ${name}, ${form}: ${message ?? 'no error'}`;
	const [reason] =
		Object.entries(RIGHT).find(
			([, [forms, values, fields]]) =>
				forms.includes(form) &&
				(values.length === 0 || values.includes(name)) &&
				fields.test(place.name),
		) ?? [];
	const isNamed = place.labels.some((label) => message?.startsWith(`${label}: `));
	// n8n itself does not run a node with an empty required field.
	const isOfN8n = message?.startsWith("The 'Business Data' node has issues") === true;
	if (!hasGoneOut && (isNamed || isOfN8n)) return;
	expect([what, reason]).toEqual([what, expect.any(String)]);
	used.add(reason ?? '');
}

/** Whether only the value for the first item counts, or all items must have the same value. */
const isReadOnce = ({ name }: Place) =>
	/^(rateLimit|\w+\/deleteMany (options|dryRun)|\w+\/\w+ (resource|operation)$)/.test(name);

describe.each(places.map((place) => [place.name, place] as const))('%s', (_, place) => {
	const { type } = place.property;
	const values = { ...BAD_VALUES, ...(type === 'number' ? BAD_NUMBERS : {}) };

	async function check(form: Form, name: string, value: unknown) {
		const { shown, requests } = await inputs.show(place, value);
		const error = 'byN8n' in shown ? shown.byN8n : 'error' in shown ? shown.error : undefined;
		const hasGoneOut = requests.length > 0 || error === undefined;
		judge(place, form, name, error?.message, hasGoneOut);
	}

	async function checkExpression(form: Form, write: (code: string) => string) {
		if (place.of === 'trigger' || isReadOnce(place)) {
			for (const [name, code] of Object.entries(values)) await check(form, name, write(code));
			return;
		}
		const names = Object.keys(values);
		const code = `[${Object.values(values).join(', ')}][$itemIndex]`;
		const errors = await inputs.errorsOfItems(place, write(code), names.length);
		const isRefused = (index: number) => errors[index]?.context.outcome === 'notSent';
		names.forEach((name, index) =>
			judge(place, form, name, errors[index]?.message, !isRefused(index)),
		);
		const refused = names.filter((__, index) => isRefused(index)).length;
		const went = names.length - refused;
		expect(inputs.sandbox.journal.count()).toBeLessThanOrEqual(went * MOST_PAGES);
	}

	// n8n evaluates the expressions of a credential before the nodes see it, so the nodes see plain values.
	if (place.of !== 'credential') {
		test('refuses unresolved values from an expression', async () =>
			await checkExpression('an expression', (code) => `={{ ${code} }}`));
		if (type === 'string' || type === 'json') {
			test('refuses unresolved values from an expression within a text', async () => {
				await checkExpression('an expression in a text', (code) => `=a{{ ${code} }}`);
			});
		}
	}

	test('refuses unresolved values typed by hand', async () => {
		for (const [name, value] of Object.entries(WRITTEN)) await check('as written', name, value);
	});
});

test('each listed exception is used', () => {
	expect([...used].sort()).toEqual(Object.keys(RIGHT).sort());
});
