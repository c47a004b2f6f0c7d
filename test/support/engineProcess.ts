/**
 * Processes of their own with n8n's engine, as n8n in queue mode has them: they share the table of n8n's
 * deduplication store, which stands in this process, and nothing else.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { ProcessedDataRepository } from './processedData';

export const TABLE_ACCESSES = ['findOne', 'insert', 'update', 'delete'] as const;
export type TableAccess = (typeof TABLE_ACCESSES)[number];

/** The table as another process sees it. */
export type RemoteTable = Record<TableAccess, (...parameters: unknown[]) => Promise<unknown>>;

export interface Task {
	/** The keys of the documents `{ "key": … }` to send, each once, in order. */
	keys: string[];
	timeoutSeconds: number;
	credential: ICredentialDataDecryptedObject;
	/** Default: one that all share. */
	workflowId?: string;
}

/** What a user is told of an item: it was sent, skipped, may have been sent, or was not. */
export type ItemEnd = 'sent' | 'skipped' | 'unknown' | 'failed';

/** How an execution ended; one whose process died tells nothing of its items. */
export type ExecutionEnd = ItemEnd[] | 'died';

/** What a process is told. */
export type ToProcess =
	| { kind: 'start'; id: number; task: Task }
	| { kind: 'accessed'; id: number; value?: unknown; error?: string };

/** What a process tells. */
export type FromProcess =
	| { kind: 'ready' }
	| { kind: 'ended'; id: number; end: ExecutionEnd }
	| { kind: 'failed'; id: number; error: string }
	| { kind: 'access'; id: number; access: TableAccess; parameters: unknown[] }
	| { kind: 'complaint'; words: string };

interface Waiting {
	resolve: (end: ExecutionEnd) => void;
	reject: (error: Error) => void;
}

export class EngineProcess {
	/** What nobody has caught, and warnings of Node.js. */
	readonly complaints: string[] = [];

	private readonly waiting = new Map<number, Waiting>();

	private lastId = 0;

	private constructor(
		private readonly child: ChildProcess,
		private readonly table: ProcessedDataRepository,
	) {
		child.on('message', (message) => void this.receive(message as FromProcess));
		child.once('exit', () => {
			for (const { resolve } of this.waiting.values()) resolve('died');
			this.waiting.clear();
		});
	}

	/** Starts one and waits until its engine is loaded. */
	static async start(table: ProcessedDataRepository): Promise<EngineProcess> {
		const child = fork(join(__dirname, 'engineProcessMain.ts'), [], {
			execArgv: ['--import', 'tsx'],
		});
		const started = new EngineProcess(child, table);
		const died = once(child, 'exit').then(() => {
			throw new Error('the process has ended before it was ready');
		});
		died.catch(() => undefined);
		await Promise.race([once(child, 'message'), died]);
		return started;
	}

	/** Runs an execution to its end. */
	async run(task: Task): Promise<ExecutionEnd> {
		const id = ++this.lastId;
		return await new Promise<ExecutionEnd>((resolve, reject) => {
			this.waiting.set(id, { resolve, reject });
			this.send({ kind: 'start', id, task });
		});
	}

	/** Ends it as a crash does; its executions end with `died`. */
	async kill(): Promise<void> {
		if (!this.child.connected) return;
		const gone = once(this.child, 'exit');
		this.child.kill('SIGKILL');
		await gone;
	}

	private async receive(message: FromProcess): Promise<void> {
		if (message.kind === 'complaint') this.complaints.push(message.words);
		if (message.kind === 'ended') this.take(message.id)?.resolve(message.end);
		if (message.kind === 'failed') this.take(message.id)?.reject(new Error(message.error));
		if (message.kind !== 'access') return;
		const { id, access, parameters } = message;
		const table = this.table as unknown as RemoteTable;
		try {
			const value = await table[access](...parameters);
			this.send({ kind: 'accessed', id, value });
		} catch (error) {
			this.send({ kind: 'accessed', id, error: (error as Error).message });
		}
	}

	private take(id: number): Waiting | undefined {
		const waiting = this.waiting.get(id);
		this.waiting.delete(id);
		return waiting;
	}

	/** What the process does not live to receive is lost. */
	private send(message: ToProcess): void {
		if (this.child.connected) this.child.send(message, () => undefined);
	}
}
