/**
 * Separate processes with n8n's engine, as in queue mode. They share only the table of n8n's deduplication store, which
 * is in this process.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { ProcessedDataRepository } from './processedData';

/** The table as seen by another process. */
export type RemoteTable = Record<string, (...parameters: unknown[]) => Promise<unknown>>;

export interface Task {
	/** The keys of the documents `{ "key": … }` to send, each once, in order. */
	keys: string[];
	timeoutSeconds: number;
	credential: ICredentialDataDecryptedObject;
	/** By default, all share one. */
	workflowId?: string;
}

/** The reported outcome of an item: sent, skipped, perhaps sent, or not sent. */
export type ItemEnd = 'sent' | 'skipped' | 'unknown' | 'failed';

/** How an execution ended; if its process died, nothing is known of the items. */
export type ExecutionEnd = ItemEnd[] | 'died';

/** A call to the other process, which has a name, or the reply to a call. */
interface Message {
	id: number;
	name?: string;
	parameters?: unknown[];
	value?: unknown;
	error?: string;
}

/** Calls between a process and its child, in both directions. */
export class Channel {
	private readonly replies = new Map<number, (reply: Message) => void>();
	private lastId = 0;

	/** @param respond handles a call of the other process */
	constructor(
		private readonly other: ChildProcess | NodeJS.Process,
		private readonly respond: (name: string, parameters: unknown[]) => unknown,
	) {
		other.on('message', (message: Message) => void this.receive(message));
	}

	/** @throws what the other process throws */
	async call(name: string, ...parameters: unknown[]): Promise<unknown> {
		const id = ++this.lastId;
		const { value, error } = await new Promise<Message>((resolve) => {
			this.replies.set(id, resolve);
			this.send({ id, name, parameters });
		});
		if (error !== undefined) throw new Error(error);
		return value;
	}

	private async receive({ name, parameters = [], ...reply }: Message): Promise<void> {
		const { id } = reply;
		if (name === undefined) {
			this.replies.get(id)?.(reply);
			this.replies.delete(id);
			return;
		}
		try {
			this.send({ id, value: await this.respond(name, parameters) });
		} catch (error) {
			this.send({ id, error: (error as Error).message });
		}
	}

	/** A message to a process that has died is lost. */
	private send(message: Message): void {
		const ignored = () => undefined;
		if (this.other.connected) this.other.send?.(message, undefined, undefined, ignored);
	}
}

export class EngineProcess {
	/** Uncaught errors, and warnings of Node.js. */
	readonly complaints: string[] = [];
	private readonly died: Promise<'died'>;
	private readonly channel: Channel;

	private constructor(
		private readonly child: ChildProcess,
		table: ProcessedDataRepository,
	) {
		this.died = once(child, 'exit').then(() => 'died');
		this.channel = new Channel(child, (name, parameters) => {
			if (name === 'complain') return this.complaints.push(String(parameters[0]));
			const access = (table as unknown as RemoteTable)[name];
			if (access === undefined) throw new Error(`the table knows no ${name}`);
			return access.apply(table, parameters);
		});
	}

	/** Starts a process and waits until its engine is loaded. */
	static async start(table: ProcessedDataRepository): Promise<EngineProcess> {
		const program = join(__dirname, 'engineProcessMain.ts');
		const started = new EngineProcess(fork(program, [], { execArgv: ['--import', 'tsx'] }), table);
		const first = await Promise.race([started.channel.call('isReady'), started.died]);
		if (first === 'died') throw new Error('the process has ended before it was ready');
		return started;
	}

	/** Runs an execution to its end. */
	async run(task: Task): Promise<ExecutionEnd> {
		return (await Promise.race([this.channel.call('run', task), this.died])) as ExecutionEnd;
	}

	/** Kills it as in a crash; its executions end with `died`. */
	async kill(): Promise<void> {
		this.child.kill('SIGKILL');
		await this.died;
	}
}
