/**
 * Sends what has a key once only, over retries, re-runs and restarts: the key stands in n8n's
 * deduplication store from right before the request until the service has certainly refused it.
 */
import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { InvalidSettingError } from '../transport/invalidSettingError';
import type { SendGuard } from '../transport/serviceRequest';
import { readWholeNumber } from '../transport/settingValues';
import type { Run } from './run';

const FIELD = 'Send Once Key';
/** At the highest rate that the send endpoints allow together, this is more than a month. */
const DEFAULT_MAX_ENTRIES = 50_000;

/** The options of an operation that can send once only. */
export const sendOnceOptions: INodeProperties[] = [
	{
		displayName: FIELD,
		name: 'sendOnceKey',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.invoiceNumber }}',
		description:
			'A value that is unique to what is sent, such as an invoice number. What has a key that this node has sent before is skipped, over retries, re-runs and restarts.',
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

interface SendOnceSettings {
	sendOnceKey?: unknown;
	sendOnceMaxEntries?: unknown;
}

/** The key was used before; nothing was sent. */
class UsedBeforeError extends Error {}

type Store = Pick<IExecuteFunctions['helpers'], 'checkProcessedAndRecord' | 'removeProcessed'>;

export class SendOnce implements SendGuard {
	private constructor(
		private readonly store: Store,
		private readonly key: string,
		private readonly maxEntries: number,
	) {}

	/**
	 * The guard of an item's request; undefined when the option is not used.
	 * @throws InvalidSettingError that names the field, also where n8n has no deduplication store
	 */
	static of(run: Run, itemIndex: number): SendOnce | undefined {
		const options = run.options(itemIndex) as SendOnceSettings;
		if (options.sendOnceKey === undefined) return undefined;
		const { helpers } = run.context;
		if (typeof (helpers as Partial<Store>).checkProcessedAndRecord !== 'function') {
			throw new InvalidSettingError(
				FIELD,
				'this version of n8n has no deduplication store',
				'Update n8n to use this option, or remove it.',
			);
		}
		return new SendOnce(helpers, readKey(options.sendOnceKey), readMaxEntries(options));
	}

	/**
	 * Calls `send`, unless the key was used before.
	 * @returns what `send` returns, or an item that says that it was skipped
	 */
	async unlessUsed(
		itemIndex: number,
		send: () => Promise<INodeExecutionData[]>,
	): Promise<INodeExecutionData[]> {
		try {
			// Only a look: while the request waits for the limits, nothing may be on record that a crash
			// would leave there, or it would never be sent.
			await this.admit();
			await this.revoke();
			return await send();
		} catch (error) {
			if (!(error instanceof UsedBeforeError)) throw error;
			return [{ json: this.skipped(), pairedItem: { item: itemIndex } }];
		}
	}

	async admit(): Promise<void> {
		const { processed } = await this.store.checkProcessedAndRecord([this.key], 'node', {
			mode: 'entries',
			maxEntries: this.maxEntries,
		});
		if (processed.length > 0) throw new UsedBeforeError(`The key ${this.key} was used before`);
	}

	async revoke(): Promise<void> {
		await this.store.removeProcessed([this.key], 'node', {
			mode: 'entries',
			maxEntries: this.maxEntries,
		});
	}

	private skipped() {
		return {
			skipped: true,
			reason:
				'This node has used the key before: it was sent then, or n8n was stopped or lost the answer while it was being sent. Check in the service; to send it on purpose, give it another key.',
			sendOnceKey: this.key,
		};
	}
}

function readKey(value: unknown): string {
	const key = typeof value === 'number' && Number.isFinite(value) ? String(value) : value;
	if (typeof key !== 'string' || key.trim() === '') {
		throw new InvalidSettingError(
			FIELD,
			'is empty, or not a text or a number',
			'Enter a value that is unique to what is sent, for example {{ $json.invoiceNumber }}, or remove the option.',
		);
	}
	return key.trim();
}

function readMaxEntries({ sendOnceMaxEntries = DEFAULT_MAX_ENTRIES }: SendOnceSettings): number {
	return readWholeNumber('Send Once Memory', sendOnceMaxEntries, { least: 1 });
}
