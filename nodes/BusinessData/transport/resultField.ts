/** Result Field: the field by which a 2xx says that it is a failure. */
import { type ServiceResponse, textOf } from './response';
import { InvalidSettingError } from '../values/invalidSettingError';
import { tryParseExactJson } from '../values/json';
import { readList, readText } from '../values/settingValues';
import { valueAt } from '../values/dotPath';
import { scalarText } from '../values/valueFaults';

export type ResultSetting = ReturnType<typeof readResultSetting>;

/**
 * @returns the dot path of the field, empty where the status is enough, and its values that stand for a failure or, unless
 * there are none, for a success
 * @throws InvalidSettingError that names the field
 */
export function readResultSetting(fields: Record<string, unknown>) {
	const field = readText('Result Field', fields.resultField).trim();
	const failures = readList('Failure Values', fields.failureValues);
	const successes = readList('Success Values', fields.successValues);
	if (field === '' || failures.length + successes.length > 0) return { field, failures, successes };
	const howToFix = 'Enter the values that stand for a failure, or those for a success.';
	throw new InvalidSettingError('Failure Values', 'is empty, as Success Values is', howToFix);
}

/** The failure in words, if the response is one. */
export function failedResult(
	{ field, failures, successes }: ResultSetting,
	response: ServiceResponse,
): string | undefined {
	const parsed = field === '' ? {} : tryParseExactJson(textOf(response));
	const value = 'value' in parsed ? valueAt(parsed.value, field) : undefined;
	if (value === undefined) return undefined;
	const text = value === null ? 'null' : (scalarText(value) ?? JSON.stringify(value));
	const isFailure = failures.includes(text) || (successes.length > 0 && !successes.includes(text));
	return isFailure ? `its field ${field} is ${text.slice(0, 100)}` : undefined;
}
