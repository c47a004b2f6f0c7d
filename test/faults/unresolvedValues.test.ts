// Values that an expression failed to make, or that no person meant, in every field of both nodes and of the
// credential: an error that names the field, with no request; or a reason here why the value is right there.

import { useInputs } from './inputs';
import type { Place } from './places';

const FUNCTION_TEXT = 'function () { return 1; }';

/** By name, the code of an expression that gives the value. */
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
/** Those that a saved workflow can hold. */
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

/** What may go out all the same: by the reason why, in which forms which values (`[]` is any) in which fields. */
const RIGHT: Record<string, [forms: Form[], values: readonly string[], places: RegExp]> = {
	'n8n drops a group that is none before the node runs, and the editor takes no expression there': [
		...([EVALUATED, [], /(options|Parameters|pagination|incremental|deletedWhen)$/] as const),
	],
	"n8n puts the field's default there before the node runs": [
		...([WRITTEN_ONLY, ['undefined', 'null', 'an object', 'a list'], /^(?!credential)/] as const),
	],
	'a person has written this text; only where an expression makes it, it stands for no value': [
		...([WRITTEN_ONLY, [], TEXT_OF_A_PERSON] as const),
	],
	'JSON has null': [EVALUATED, ['null'], /assignments\.0\.value$/],
	'an empty text is a value there, or means that the option is not used': [
		...([EVALUATED, ['an empty text'], OPTIONAL_TEXT] as const),
	],
	'the rest of the text may be all there is; not where it says which record or document is meant': [
		...([INSIDE, ['an empty text'], /^(?!.*(ids|sendOnceKey)$)/] as const),
	],
	'a body in JSON is an object or a list': [
		...([EVALUATED, ['an object', 'a list'], / (jsonBody|assignments)$/] as const),
	],
	'IDs may be a list': [[...EVALUATED, ...INSIDE], ['a list'], / ids$/],
	'a password may be any text': [WRITTEN_ONLY, [], /Password$/],
};

/** How many requests the sandbox's list of contacts takes at most. */
const MOST_PAGES = 4;

const inputs = useInputs();
/** The options of the trigger are the same fields for both sources. */
const places = inputs.places.filter(({ name }) => !name.startsWith('trigger/contacts options'));
const used = new Set<string>();

/** @throws when the value went out without a reason, or was refused without the name of its field */
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
	// n8n itself refuses to start a node whose required field is empty.
	const isOfN8n = message?.startsWith("The 'Business Data' node has issues") === true;
	if (!hasGoneOut && (isNamed || isOfN8n)) return;
	expect([what, reason]).toEqual([what, expect.any(String)]);
	used.add(reason ?? '');
}

/** Of these fields only the value for the first item counts, or the same must hold for all. */
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

	// n8n evaluates those of a credential before the nodes see it, so that they come as they are written.
	if (place.of !== 'credential') {
		test('an expression', async () =>
			await checkExpression('an expression', (code) => `={{ ${code} }}`));
		if (type === 'string' || type === 'json') {
			test('an expression in a text', async () => {
				await checkExpression('an expression in a text', (code) => `=a{{ ${code} }}`);
			});
		}
	}

	test('as written', async () => {
		for (const [name, value] of Object.entries(WRITTEN)) await check('as written', name, value);
	});
});

test('each reason holds for some value', () => {
	expect([...used].sort()).toEqual(Object.keys(RIGHT).sort());
});
