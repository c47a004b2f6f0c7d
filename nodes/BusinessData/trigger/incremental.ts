/** Incremental reads: a parameter asks for changes since a time, in the format that the service expects. */
import type { INodeProperties } from 'n8n-workflow';

import { DateTime, IANAZone } from '../n8nInternals/luxon';
import { InvalidSettingError } from '../values/invalidSettingError';
import { checkHeader } from '../transport/requestHeaders';
import {
	refuseKeyParameter,
	type ServiceRequest,
	withParameters,
} from '../transport/serviceRequest';
import {
	defaultsOf,
	readChoice,
	readFilledText,
	readGroup,
	readNumber,
	readSeconds,
	readText,
} from '../values/settingValues';

const SENT_IN = ['query', 'header'] as const;
const FORMATS = ['iso', 'date', 'unixSeconds', 'unixMilliseconds', 'httpDate', 'custom'] as const;
const HOUR_MS = 3_600_000;
/** More than enough, because clocks are set back by an hour or less. */
const AROUND_A_CLOCK_CHANGE_MS = 3 * HOUR_MS;

export type Incremental = NonNullable<ReturnType<typeof readIncremental>>;

const incrementalFields: INodeProperties[] = [
	{
		displayName: 'Custom Format',
		name: 'customFormat',
		type: 'string',
		default: '',
		placeholder: 'e.g. yyyy-MM-dd HH:mm',
		displayOptions: { show: { format: ['custom'] } },
		description:
			"How the service writes a time, in Luxon tokens. Text goes in single quotes, so even a filter is possible: 'updated gt 'yyyy-MM-dd.",
	},
	{
		displayName: 'Format',
		name: 'format',
		type: 'options',
		options: [
			{ name: 'Custom', value: 'custom' },
			{ name: 'Date', value: 'date', description: 'Such as 2026-01-31' },
			{ name: 'HTTP Date', value: 'httpDate', description: 'As in If-Modified-Since' },
			{ name: 'ISO 8601', value: 'iso', description: 'Such as 2026-01-31T09:30:00Z' },
			{ name: 'Unix Milliseconds', value: 'unixMilliseconds' },
			{ name: 'Unix Seconds', value: 'unixSeconds' },
		],
		default: 'iso',
		description: 'How the service writes a time',
	},
	{
		displayName: 'Full Read Hours',
		name: 'fullReadHours',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 2 },
		default: 24,
		description:
			'After how many hours to read the whole list again, which finds deleted records. With 0, only the first poll reads it.',
	},
	{
		displayName: 'Lookback Seconds',
		name: 'lookbackSeconds',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 300,
		description:
			'How many seconds before the last read the requested changes begin, because a service may show a change late. No change is emitted twice.',
	},
	{
		displayName: 'Parameter',
		name: 'parameter',
		type: 'string',
		default: '',
		placeholder: 'e.g. updated_since',
		description: 'Name of the parameter that takes the time since which records have changed',
	},
	{
		displayName: 'Send In',
		name: 'sendIn',
		type: 'options',
		options: [
			{ name: 'Header', value: 'header' },
			{ name: 'Query', value: 'query' },
		],
		default: 'query',
		description: 'Where to send the parameter',
	},
	{
		displayName: 'Time Zone',
		name: 'timeZone',
		type: 'string',
		default: 'UTC',
		placeholder: 'e.g. Europe/Berlin',
		displayOptions: { show: { format: ['custom', 'date', 'iso'] } },
		description: 'The time zone in which the service reads the time',
	},
];

export const incrementalField: INodeProperties = {
	displayName: 'Incremental',
	name: 'incremental',
	type: 'fixedCollection',
	placeholder: 'Add Incremental Reads',
	default: {},
	description:
		'How to ask for the records that changed since a time, if the service has a parameter for it. Then most polls take one request, and an occasional full read finds deletions.',
	options: [{ displayName: 'Incremental', name: 'values', values: incrementalFields }],
};

/** Undefined if the option is not set. @throws InvalidSettingError that names the field */
export function readIncremental(option: unknown) {
	const group = readGroup('Incremental', option).values;
	if (group === undefined) return undefined;
	const values = { ...defaultsOf(incrementalFields), ...readGroup('Incremental', group) };
	const parameter = readFilledText(
		'Parameter',
		values.parameter,
		'Enter the name of the parameter that asks for what changed since a time, or remove Incremental.',
	);
	const sendIn = readChoice('Send In', values.sendIn, SENT_IN);
	if (sendIn === 'header') checkHeader('Incremental', parameter, '');
	else refuseKeyParameter('Incremental', parameter);
	const format = readChoice('Format', values.format, FORMATS);
	const timeZone = readText('Time Zone', values.timeZone).trim();
	if (!IANAZone.isValidZone(timeZone)) {
		throw new InvalidSettingError('Time Zone', 'is not known', 'Use a name such as Europe/Berlin.');
	}
	return {
		parameter,
		sendIn,
		format,
		/** Luxon tokens, for the format `custom`. */
		customFormat:
			format === 'custom'
				? readFilledText('Custom Format', values.customFormat, 'Enter it in the tokens of Luxon.')
				: '',
		timeZone,
		/** How long (ms) before the beginning of the last read the requested changes begin. */
		lookbackMs: 1000 * readSeconds('Lookback Seconds', values.lookbackSeconds),
		/** The interval (ms) of full reads; 0 for none. */
		fullReadMs:
			HOUR_MS *
			readNumber('Full Read Hours', values.fullReadHours, { least: 0 }, 'Use 24 for once a day.'),
	};
}

/**
 * The request for changes since an earlier read.
 * @param cursor when that read began, in ms since 1970 by the service's clock
 */
export function requestSince(
	request: ServiceRequest,
	incremental: Incremental,
	cursor: number,
): ServiceRequest {
	const { parameter: name, sendIn, lookbackMs } = incremental;
	const value = timeText(Math.max(0, cursor - lookbackMs), incremental);
	return sendIn === 'header'
		? { ...request, headers: { ...request.headers, [name]: value } }
		: { ...request, query: withParameters(request.query, [{ name, value }]) };
}

/** The time as text, rounded down to what the format shows. */
function timeText(ms: number, { format, customFormat, timeZone }: Incremental): string {
	if (format === 'unixMilliseconds') return String(ms);
	if (format === 'unixSeconds') return String(Math.floor(ms / 1000));
	const time = DateTime.fromMillis(ms, { zone: timeZone });
	if (format === 'httpDate') return time.toHTTP() ?? '';
	if (format === 'iso') return time.startOf('second').toISO({ suppressMilliseconds: true }) ?? '';
	// When clocks are set back, a local time occurs twice, and a service may read it as the later one.
	const { offset } = DateTime.fromMillis(ms + AROUND_A_CLOCK_CHANGE_MS, { zone: timeZone });
	const earlier = time.minus({ minutes: Math.max(0, time.offset - offset) });
	return format === 'date' ? earlier.toFormat('yyyy-MM-dd') : earlier.toFormat(customFormat);
}
