/** Result Field: for services that respond with 2xx to failures, the field that says so. */
import { type ServiceResponse, textOf } from './response';
import { tryParseExactJson } from '../values/json';
import { readList, readText } from '../values/settingValues';
import { valueAt } from './valueAt';
import { scalarText } from '../values/valueFaults';

export interface ResultSetting {
	/** Dot path of the field; empty where the status says it all. */
	field: string;
	/** Its values that stand for a failure. */
	failures: string[];
	/** Its values that stand for a success; without any, all others do. */
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

/** What the response says of a failure, in words; undefined where it says nothing of one. */
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
