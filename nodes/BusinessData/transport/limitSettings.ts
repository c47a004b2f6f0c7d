/** Reads the credential's Limits field, which is JSON that users write by hand. */
import { LARGEST_MAX, type Limit, type Limits } from '../rateLimit';
import { DOCUMENTED_LIMITS, formatEndpoint } from './endpoints';
import { canonicalEndpoint, parseEndpoint } from './endpointPath';
import { joinPath } from '../values/dotPath';
import { InvalidSettingError } from '../values/invalidSettingError';
import { isObject } from '../values/isObject';
import { tryParseJson } from '../values/json';
import { refuseUnresolved } from '../values/settingValues';

const FIELD = 'Limits';
/** Has all limits, so that none is dropped when a user pastes it from an error. */
const EXAMPLE = `The documented ones are ${JSON.stringify(DOCUMENTED_LIMITS)}`;
/** Eleven days. A longer hold would not fit into a timer. */
const LONGEST_WINDOW_SECONDS = 1_000_000;

/** Our share of a limit, at least one request. @param keepFree share (percent) left to other clients */
export function shareOf(max: number, keepFree: number): number {
	return Math.max(1, Math.floor((max * (100 - keepFree)) / 100));
}

/**
 * Endpoints become canonical, so that credentials with different spellings count together.
 * @param value JSON text or the object itself
 * @throws InvalidSettingError that names the place, for example `endpoints["POST /a"].max`
 */
export function parseLimits(value: unknown, keepFree = 0): Limits {
	refuseUnresolved(FIELD, value);
	const parsed = typeof value === 'string' ? tryParseJson(value) : { value };
	if ('problem' in parsed) throw invalid(`is not valid JSON (${parsed.problem})`);
	const { general, endpoints } = readRecord(parsed.value, '', ['general', 'endpoints']);
	if (!Array.isArray(general)) throw invalid('general must be a list');
	const names: Record<string, string> = {};
	const limits: Limits = { general: [], endpoints: {}, names };
	for (const [index, setting] of general.entries()) {
		const limit = readLimit(setting, `general[${index}]`, keepFree);
		const isSame = limits.general.some(({ windowMs }) => windowMs === limit.windowMs);
		if (isSame) throw invalid(`general[${index}] repeats a window`);
		limits.general.push(limit);
	}
	for (const [name, setting] of Object.entries(readRecord(endpoints ?? {}, 'endpoints'))) {
		const place = `endpoints["${name}"]`;
		const endpoint = parseEndpoint(name, `${FIELD}: ${place}`);
		const key = canonicalEndpoint(endpoint);
		if (key in limits.endpoints) throw invalid(`${place} appears twice`);
		limits.endpoints[key] = [readLimit(setting, place, keepFree)];
		names[key] = formatEndpoint(endpoint);
	}
	return limits;
}

function readLimit(value: unknown, place: string, keepFree: number): Limit {
	const { max, windowSeconds } = readRecord(value, place, ['max', 'windowSeconds']);
	if (typeof max !== 'number' || !Number.isInteger(max) || max < 1 || max > LARGEST_MAX) {
		throw invalid(`${place}.max must be a whole number from 1 to ${LARGEST_MAX}`);
	}
	const isLength = typeof windowSeconds === 'number' && windowSeconds >= 0.001;
	if (!isLength || windowSeconds > LONGEST_WINDOW_SECONDS) {
		throw invalid(
			`${place}.windowSeconds must be a number from 0.001 to ${LONGEST_WINDOW_SECONDS}`,
		);
	}
	return { max: shareOf(max, keepFree), windowMs: Math.round(windowSeconds * 1000) };
}

/** @param place empty for the whole value @param known the keys that it may have; by default any */
function readRecord(value: unknown, place: string, known?: string[]): Record<string, unknown> {
	if (!isObject(value)) throw invalid(`${place || 'the value'} must be an object`);
	const unknown = Object.keys(value).find((key) => known?.includes(key) === false);
	if (unknown === undefined) return value;
	throw invalid(`${joinPath(place, unknown)} is not known`);
}

function invalid(problem: string): InvalidSettingError {
	const howToFix =
		'Give "max" requests in "windowSeconds" seconds, once for each window or endpoint.';
	return new InvalidSettingError(FIELD, problem, `${howToFix} ${EXAMPLE}`);
}
