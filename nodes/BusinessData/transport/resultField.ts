/** The credential's Result Field, by which a 2xx can show that it is a failure. */
import { type ServiceResponse, textOf } from './response';
import { InvalidSettingError } from '../values/invalidSettingError';
import { tryParseExactJson } from '../values/json';
import { readList, readText } from '../values/settingValues';
import { valueAt } from '../values/dotPath';
import { scalarText } from '../values/valueFaults';

export type ResultSetting = ReturnType<typeof readResultSetting>;

/**
 * @returns the dot path of the field, empty if the status alone counts; and the values that mean a failure, or, if any are
 * given, those that mean a success
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

/** Describes the failure, if the response is one. */
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
