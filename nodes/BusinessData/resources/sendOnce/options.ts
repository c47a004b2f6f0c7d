/** The options of an operation that can send once only, and their values. */
import type { INodeProperties } from 'n8n-workflow';

import { InvalidSettingError } from '../../transport/invalidSettingError';
import { readWholeNumber } from '../../transport/settingValues';

const FIELD = 'Send Once Key';
/** At the highest rate that the send endpoints allow together, this is more than a month. */
const DEFAULT_MAX_ENTRIES = 50_000;

export const sendOnceOptions: INodeProperties[] = [
	{
		displayName: FIELD,
		name: 'sendOnceKey',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.invoiceNumber }}',
		description:
			'A value that is unique to what is sent, such as an invoice number: each goes out once, over retries, re-runs and parallel executions. With n8n in several processes, choose Redis in the credential.',
	},
	{
		displayName: 'Send Once Memory',
		name: 'sendOnceMaxEntries',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: DEFAULT_MAX_ENTRIES,
		description:
			'How many keys this node remembers. When there are more, the oldest are forgotten, and could be sent again.',
	},
];

export interface SendOnceSettings {
	key: string;
	/** How many keys the node remembers. */
	maxEntries: number;
}

/**
 * What the options of an item say; undefined when they are not used.
 * @throws InvalidSettingError that names the field
 */
export function readSendOnceSettings(
	options: Record<string, unknown>,
): SendOnceSettings | undefined {
	const { sendOnceKey, sendOnceMaxEntries = DEFAULT_MAX_ENTRIES } = options;
	// An expression that finds nothing is there, and undefined.
	if (!Object.hasOwn(options, 'sendOnceKey')) return undefined;
	return {
		key: readKey(sendOnceKey),
		maxEntries: readWholeNumber('Send Once Memory', sendOnceMaxEntries, { least: 1 }),
	};
}

/** @throws InvalidSettingError */
export function unusable(problem: string, description: string): InvalidSettingError {
	return new InvalidSettingError(FIELD, problem, description);
}

function readKey(value: unknown): string {
	if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
		throw unusable(
			'is a number that JavaScript cannot hold exactly, so another one could look the same',
			'Give it as a text, for example "9007199254740993" in quotation marks where it comes from.',
		);
	}
	const key = typeof value === 'number' && Number.isFinite(value) ? String(value) : value;
	if (typeof key !== 'string' || key.trim() === '') {
		throw unusable(
			'is empty, or not a text or a number',
			'Enter a value that is unique to what is sent, for example {{ $json.invoiceNumber }}, or remove the option.',
		);
	}
	return key.trim();
}
