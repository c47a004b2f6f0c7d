/** Numbers that would go out as something else than they are: no amount may become null, no ID another one. */
import { InvalidSettingError } from '../transport/invalidSettingError';

/**
 * Looks at the numbers in a value, however deep.
 * @param field the label of the field that the value is of
 * @param name what the value is called in that field; empty when it is the whole of it
 * @throws InvalidSettingError that says which number JSON or JavaScript cannot hold
 */
export function refuseLossyNumbers(field: string, value: unknown, name = ''): void {
	const found = findLossyNumber(field, value);
	if (found === undefined) return;
	const path = [...(name === '' ? [] : [name]), ...found.path].join('.');
	const number = String(found.number);
	if (Number.isFinite(found.number)) {
		throw new InvalidSettingError(
			field,
			`"${path}" is a number that JavaScript cannot hold exactly (${number})`,
			'Give it as a text from where it comes, so that no digit of it changes.',
		);
	}
	throw new InvalidSettingError(
		field,
		`"${path}" is not a number that JSON can hold (${number})`,
		'Check the expression, for example for a division by 0.',
	);
}

interface LossyNumber {
	/** The keys that lead to it. */
	path: string[];
	number: number | bigint;
}

function findLossyNumber(field: string, value: unknown): LossyNumber | undefined {
	try {
		return find(value);
	} catch (error) {
		if (!(error instanceof RangeError)) throw error;
		throw new InvalidSettingError(
			field,
			'cannot be written as JSON (it holds itself, or is nested too deeply)',
			'Send texts, numbers, lists and objects only.',
		);
	}
}

function find(value: unknown): LossyNumber | undefined {
	if (typeof value === 'number' || typeof value === 'bigint') {
		const isExact =
			Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
		return isExact ? undefined : { path: [], number: value };
	}
	// A date writes itself as a text, whatever it holds inside.
	if (typeof value !== 'object' || value === null || 'toJSON' in value) return undefined;
	for (const [key, part] of Object.entries(value)) {
		const found = find(part);
		if (found !== undefined) return { path: [key, ...found.path], number: found.number };
	}
	return undefined;
}
