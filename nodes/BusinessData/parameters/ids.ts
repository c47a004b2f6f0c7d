/** Reads the IDs from the value of a field, and refuses ambiguous values. */
import { InvalidSettingError } from '../values/invalidSettingError';
import { tryParseExactJson } from '../values/json';
import { refuseUnresolved } from '../values/settingValues';
import { trimUnseen } from '../values/text';

export type Id = string | number;

const FIELD = 'IDs';

/** Separators between IDs, and white space. */
const GAPS = /[\s\p{Cc}\p{Cf},;]+/gu;
const LINE_BREAK = /[\r\n\v\f\u0085\u2028\u2029]/;
/** What expressions and programs write for a missing value. `SUSPECT` finds the forms with brackets. */
const WORD_FOR_NOTHING = /^(undefined|null|nan|invalid date(time)?|\[object object\])$/i;
/** A quick check that most IDs pass. */
const PLAIN = /^[\w.:#@/+-]+$/;
/** Signs of a list that was cut off or not recognized, and invisible characters. */
const SUSPECT =
	/["[\]{}“”„«»，、；،؛\p{Cc}\p{Cf}\p{Cs}]|[^\S ]|^['‘’‚`´].*['‘’`´]$|^\([^)]*$|^[^(]*\)$/su;

/**
 * @param value an ID, a text of IDs separated by commas, semicolons or line breaks, or a list, also as JSON
 * @throws InvalidSettingError
 */
export function readIds(value: unknown): Id[] {
	refuseUnresolved(FIELD, value);
	const parts = partsOf(value);
	if (parts.length === 0) throw invalid('the list is empty');
	return parts.map(readId);
}

/** The same name for all Unicode forms of an ID. */
export function nameOfId(id: Id): string {
	return String(id).normalize('NFC');
}

function readId(value: unknown): Id {
	if (typeof value === 'number' && Number.isFinite(value)) {
		if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
		throw invalid(
			`JavaScript cannot hold the number ${value} exactly, so another record could be deleted`,
			'Give the ID as text, in quotation marks where it comes from.',
		);
	}
	if (value === undefined || value === null) throw invalid('an ID is empty');
	if (typeof value !== 'string') throw invalid('an ID is not a text or a number');
	const id = trimUnseen(value);
	if (id === '') throw invalid('an ID is empty');
	if (WORD_FOR_NOTHING.test(id)) throw invalid(`"${id}" stands for no value`);
	if (PLAIN.test(id) || !SUSPECT.test(id)) return id;
	throw invalid('an ID looks like a fragment of a list, or has an invisible character');
}

function partsOf(value: unknown): unknown[] {
	if (Array.isArray(value)) return value;
	if (typeof value !== 'string') return [value];
	const text = trimUnseen(value);
	// AI agents, and expressions within a text, write lists as JSON.
	if (!/^[[{"]/.test(text)) return text.replace(GAPS, separatorsIn).split(',');
	const parsed = tryParseExactJson(text);
	if ('value' in parsed && Array.isArray(parsed.value)) return parsed.value;
	throw invalid('the text begins like JSON but is not a JSON list');
}

/** One comma per separator. Line breaks count as a single separator, or none beside a comma or semicolon. */
function separatorsIn(gap: string): string {
	const commas = gap.replace(/[^,;]/g, '').length;
	if (commas > 0) return ','.repeat(commas);
	return LINE_BREAK.test(gap) ? ',' : gap;
}

function invalid(
	problem: string,
	howToFix = 'Enter an ID, a list separated by commas, semicolons or line breaks, or an expression that returns one or the other, for example {{ $json.id }}.',
): InvalidSettingError {
	return new InvalidSettingError(FIELD, problem, `${howToFix} Nothing is deleted for this item.`);
}
