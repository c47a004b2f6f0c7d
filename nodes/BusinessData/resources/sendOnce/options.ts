/** The options of an operation that can send once only, and their values. */
import type { INodeProperties } from 'n8n-workflow';

import { InvalidSettingError } from '../../transport/invalidSettingError';
import { readTextToSend, readWholeNumber } from '../../transport/settingValues';
import { trimUnseen } from '../../transport/valueFaults';

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

/** The same for all ways of writing it in Unicode (NFC). */
function readKey(value: unknown): string {
	const text = typeof value === 'boolean' ? '' : readTextToSend(FIELD, value);
	const key = trimUnseen(text).normalize('NFC');
	if (key !== '') return key;
	throw unusable(
		'is empty, or not a text or a number',
		'Enter a value that is unique to what is sent, for example {{ $json.invoiceNumber }}, or remove the option.',
	);
}
