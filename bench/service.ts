// Starts the processes of a contender: its service with its own key, and the other client.
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { JournalEntry } from '../sandbox/journal';
import type { SandboxOptions } from '../sandbox/server';
import { killGroup, startProgram } from '../scripts/host/childProcesses';
import type { Listening } from './childSandbox';
import type { Service } from './contenders';
import type { OtherClientWork } from './otherClientWork';

const SECONDS_UNTIL_LISTENING = 60;
const SECONDS_FOR_A_JOURNAL = 60;

/** A service in a child process. */
export interface ServiceProcess extends Service, Listening {
	/** All requests so far. */
	journal(): Promise<JournalEntry[]>;
	stop(): Promise<void>;
}

function startChild(file: string): { child: ChildProcess; stop: () => Promise<void> } {
	const { child, ended } = startProgram(
		process.execPath,
		['--import', 'tsx', join(__dirname, file)],
		{ stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
	);
	const stop = async (): Promise<void> => {
		killGroup(child);
		await ended.catch(() => undefined);
	};
	return { child, stop };
}

function firstMessage(child: ChildProcess): Promise<Listening> {
	return new Promise((resolve, reject) => {
		const deadline = setTimeout(
			() => reject(new Error(`The sandbox did not listen within ${SECONDS_UNTIL_LISTENING} s.`)),
			SECONDS_UNTIL_LISTENING * 1000,
		);
		child.once('message', (listening: Listening) => {
			clearTimeout(deadline);
			resolve(listening);
		});
		child.once('exit', () => {
			clearTimeout(deadline);
			reject(new Error('The sandbox ended before it listened.'));
		});
	});
}

/** Starts a service with its own key. */
export async function startService(options: SandboxOptions): Promise<ServiceProcess> {
	const apiKey = randomBytes(32).toString('hex');
	const { child, stop } = startChild('childSandbox.ts');
	child.send({ ...options, apiKeys: { [apiKey]: { state: 'active' } } } satisfies SandboxOptions);
	const listening = await firstMessage(child);
	return {
		...listening,
		apiKey,
		journal: async () => {
			const response = await fetch(`${listening.baseUrl}/_sandbox/journal`, {
				signal: AbortSignal.timeout(SECONDS_FOR_A_JOURNAL * 1000),
			});
			return (await response.json()) as JournalEntry[];
		},
		stop,
	};
}

/** Starts the other client. Returns the function that ends it. */
export function startOtherClient(work: OtherClientWork): () => Promise<void> {
	const { child, stop } = startChild('otherClient.ts');
	child.send(work);
	return stop;
}
