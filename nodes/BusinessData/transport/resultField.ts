/** Result Field: the field by which a 2xx says that it is a failure. */
import { type ServiceResponse, textOf } from './response';
import { tryParseExactJson } from '../values/json';
import { readList, readText } from '../values/settingValues';
import { valueAt } from './valueAt';
import { scalarText } from '../values/valueFaults';

export interface ResultSetting {
	/** A dot path; empty where the status is enough. */
	field: string;
	failures: string[];
	/** If empty, all other values stand for a success. */
	successes: string[];
}

/** @throws InvalidSettingError that names the field */
export function readResultSetting(fields: Record<string, unknown>): ResultSetting {
	return {
		field: readText('Result Field', fields.resultField).trim(),
		failures: readList('Failure Values', fields.failureValues),
		successes: readList('Success Values', fields.successValues),
	};
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
