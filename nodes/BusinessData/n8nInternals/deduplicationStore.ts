/**
 * n8n's deduplication store, with rows of the package's own. n8n hands nodes only the row of the node itself, which
 * a copied or replaced node loses, and that of the workflow, which n8n's Remove Duplicates node clears. The service
 * behind both takes any row; it is the same in n8n 1.123 and 2.41.
 */
import type { ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';

type Helpers = IExecuteFunctions['helpers'];
type Checked = Awaited<ReturnType<Helpers['checkProcessedAndRecord']>>;

const SCOPE = 'node';
const METHODS = ['checkProcessedAndRecord', 'removeProcessed', 'getProcessedDataCount'] as const;

interface Row {
	node: { id: string };
	workflow: { id: string };
}

interface Service {
	checkProcessedAndRecord(
		entries: string[],
		scope: string,
		row: Row,
		options: ICheckProcessedOptions,
	): Promise<Checked>;
	removeProcessed(
		entries: string[],
		scope: string,
		row: Row,
		options: ICheckProcessedOptions,
	): Promise<void>;
	getProcessedDataCount(scope: string, row: Row, options: ICheckProcessedOptions): Promise<number>;
	/** The part of the service that reads and writes rows. */
	deduplicator?: Partial<Deduplicator>;
}

interface Deduplicator {
	findProcessedData(scope: string, row: Row): Promise<{ value: { data: unknown } } | null>;
	constructor: { createValueHash?: (entry: string) => string };
}

/** One row of the store: a set of texts, of which n8n keeps hashes only, in the order in which they were added. */
export class DeduplicationRow {
	private constructor(
		private readonly service: Service,
		private readonly row: Row,
	) {}

	/** @returns undefined where this n8n has no such store */
	static of(workflowId: string, name: string): DeduplicationRow | undefined {
		try {
			// eslint-disable-next-line @typescript-eslint/no-require-imports -- n8n's, and not there in every n8n
			const core = require('n8n-core') as {
				DataDeduplicationService: { getInstance(): Service };
			};
			const service = core.DataDeduplicationService.getInstance();
			if (!METHODS.every((method) => typeof service[method] === 'function')) return undefined;
			return new DeduplicationRow(service, { node: { id: name }, workflow: { id: workflowId } });
		} catch {
			return undefined;
		}
	}

	/** Adds entries, and returns the ones that the row held before. Beyond `most`, the oldest are dropped. */
	async add(entries: string[], most?: number): Promise<string[]> {
		const options = { mode: 'entries' as const, maxEntries: most };
		const checked = await this.service.checkProcessedAndRecord(entries, SCOPE, this.row, options);
		return checked.processed as string[];
	}

	async remove(entries: string[]): Promise<void> {
		await this.service.removeProcessed(entries, SCOPE, this.row, { mode: 'entries' });
	}

	/**
	 * The given entries that the row holds, in its order. Where this n8n does not let rows be read, each is added, and
	 * removed again if it was not there: a fault in between leaves it there.
	 */
	async find(entries: string[]): Promise<string[]> {
		const { deduplicator } = this.service;
		const { createValueHash } = deduplicator?.constructor ?? {};
		if (createValueHash === undefined || deduplicator?.findProcessedData === undefined)
			return await this.findByAdding(entries);
		const data = (await deduplicator.findProcessedData(SCOPE, this.row))?.value.data ?? [];
		if (!Array.isArray(data)) return await this.findByAdding(entries);
		const byHash = new Map<unknown, string>(entries.map((one) => [createValueHash(one), one]));
		return data.flatMap((hash) => byHash.get(hash) ?? []);
	}

	/** How many entries there are; writes nothing. */
	async count(): Promise<number> {
		return await this.service.getProcessedDataCount(SCOPE, this.row, { mode: 'entries' });
	}

	private async findByAdding(entries: string[]): Promise<string[]> {
		if ((await this.count()) === 0) return [];
		const found: string[] = [];
		for (const entry of entries) {
			if ((await this.add([entry])).length > 0) found.push(entry);
			else await this.remove([entry]);
		}
		return found;
	}
}
