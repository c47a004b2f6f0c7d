/** Reads the credential's Limits field: JSON that users may write by hand, so every place is checked. */
import { GENERAL, LARGEST_MAX, type Limits, windowName } from '../rateLimit';
import { formatEndpoint } from './endpoints';
import { canonicalEndpoint, parseEndpoint } from './endpointPath';
import { InvalidSettingError } from '../values/invalidSettingError';
import { isObject } from '../values/isObject';
import { tryParseJson } from '../values/json';

type Limit = Limits['general'][number];

const FIELD = 'Limits';
const EXAMPLE = '{"general":[{"max":10,"windowSeconds":1}],"endpoints":{}}';
/** Eleven days: a longer hold would not fit into a timer. */
const LONGEST_WINDOW_SECONDS = 1_000_000;

/**
 * How many of the requests that a limit of the service allows are ours; at least one.
 * @param keepFree how much (percent) of each limit is left to other clients
 */
export function shareOf(max: number, keepFree: number): number {
	return Math.max(1, Math.floor((max * (100 - keepFree)) / 100));
}

/**
 * Endpoints are canonical (see `canonicalEndpoint`), so that credentials that write one differently count together.
 * @param value the field's value: JSON text or the object itself
 * @param keepFree see `shareOf`
 * @throws InvalidSettingError that names the place, for example `endpoints["POST /a"].max`
 */
export function parseLimits(value: unknown, keepFree = 0): Limits {
	const settings = asRecord(typeof value === 'string' ? parseJson(value) : value, 'the value');
	refuseUnknownKeys(settings, ['general', 'endpoints'], '');
	const ours = ({ max, windowMs }: Limit): Limit => ({
		max: shareOf(max, keepFree),
		windowMs,
	});
	const general = parseGeneral(settings.general).map(ours);
	const endpoints: Limits['endpoints'] = {};
	const names: Limits['names'] = {};
	for (const [name, setting] of Object.entries(asRecord(settings.endpoints ?? {}, 'endpoints'))) {
		const endpoint = parseEndpoint(name, `${FIELD}: endpoints["${name}"]`);
		const key = canonicalEndpoint(endpoint);
		if (key in endpoints) {
			throw invalid(`endpoints["${name}"] is there twice`, 'Keep one entry per endpoint.');
		}
		names[key] = formatEndpoint(endpoint);
		endpoints[key] = [ours(parseLimit(setting, `endpoints["${name}"]`))];
	}
	return { general, endpoints, names };
}

function parseGeneral(value: unknown): Limit[] {
	if (!Array.isArray(value)) {
		throw invalid('general must be a list', `For example ${EXAMPLE}.`);
	}
	const limits = value.map((setting, index) => parseLimit(setting, `general[${index}]`));
	const names = limits.map((limit) => windowName(GENERAL, limit));
	const repeated = names.findIndex((name, index) => names.indexOf(name) !== index);
	if (repeated !== -1) {
		throw invalid(`general[${repeated}] repeats a window`, 'Keep one limit per window length.');
	}
	return limits;
}

function parseLimit(value: unknown, place: string): Limit {
	const setting = asRecord(value, place);
	refuseUnknownKeys(setting, ['max', 'windowSeconds'], `${place}.`);
	const { max, windowSeconds } = setting;
	if (typeof max !== 'number' || !Number.isInteger(max) || max < 1 || max > LARGEST_MAX) {
		throw invalid(
			`${place}.max must be a whole number from 1 to ${LARGEST_MAX}`,
			'It is the number of requests that the service allows in one window.',
		);
	}
	const isLength = typeof windowSeconds === 'number' && windowSeconds >= 0.001;
	if (!isLength || windowSeconds > LONGEST_WINDOW_SECONDS) {
		throw invalid(
			`${place}.windowSeconds must be a number from 0.001 to ${LONGEST_WINDOW_SECONDS}`,
			'It is the length of the window in seconds, for example 600 for ten minutes.',
		);
	}
	return { max, windowMs: Math.round(windowSeconds * 1000) };
}

function parseJson(text: string): unknown {
	const parsed = tryParseJson(text);
	if ('value' in parsed) return parsed.value;
	throw invalid(`is not valid JSON (${parsed.problem})`, `For example ${EXAMPLE}.`);
}

function asRecord(value: unknown, place: string): Record<string, unknown> {
	if (isObject(value)) return value;
	throw invalid(`${place} must be an object`, `For example ${EXAMPLE}.`);
}

function refuseUnknownKeys(record: Record<string, unknown>, known: string[], place: string): void {
	const unknown = Object.keys(record).find((key) => !known.includes(key));
	if (unknown !== undefined) {
		throw invalid(`${place}${unknown} is not known`, `Use ${known.join(' and ')} here.`);
	}
}

function invalid(problem: string, description: string): InvalidSettingError {
	return new InvalidSettingError(FIELD, problem, description);
}
