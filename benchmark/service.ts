// Starts the service of a contender, with its own key, and the other client.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import type { JournalEntry } from '../sandbox/journal';
import type { SandboxOptions } from '../sandbox/server';
import { killGroup, startProgram } from '../scripts/host/childProcesses';
import type { Listening } from './childSandbox';
import type { Service } from './contenders';

const SECONDS_FOR_A_JOURNAL = 60;

/** A service in a child process. */
export interface ServiceProcess extends Service, Listening {
	/** All requests so far. */
	journal(): Promise<JournalEntry[]>;
	stop(): Promise<void>;
}

/** Starts a service with its own key. */
export async function startService(options: SandboxOptions): Promise<ServiceProcess> {
	const apiKey = randomBytes(32).toString('hex');
	const program = ['--import', 'tsx', join(__dirname, 'childSandbox.ts')];
	const { child, ended } = startProgram(process.execPath, program, {
		stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
	});
	child.send({ ...options, apiKeys: { [apiKey]: { state: 'active' } } } satisfies SandboxOptions);
	const isOver = ended.then(() => {
		throw new Error('The sandbox ended before it listened.');
	});
	const [listening] = (await Promise.race([once(child, 'message'), isOver])) as [Listening];
	return {
		...listening,
		apiKey,
		journal: async () => {
			const response = await fetch(`${listening.baseUrl}/_sandbox/journal`, {
				signal: AbortSignal.timeout(SECONDS_FOR_A_JOURNAL * 1000),
			});
			return (await response.json()) as JournalEntry[];
		},
		stop: async () => {
			killGroup(child);
			await ended.catch(() => undefined);
		},
	};
}

/** Identifies the requests of the other client in the service's journal. */
export const OTHER_CLIENT_USER_AGENT = 'other-client';

/**
 * Starts another client of the same API key: it sends reads at a fixed interval, whatever the responses. Returns the
 * function that ends it.
 */
export function startOtherClient({ baseUrl, apiKey }: Service, everySeconds: number): () => void {
	const headers = { 'x-api-key': apiKey, 'user-agent': OTHER_CLIENT_USER_AGENT };
	const send = async () =>
		await fetch(`${baseUrl}/masterdata/getContacts`, { headers }).then(
			async (response) => void (await response.arrayBuffer()),
			// The service may be stopping already.
			() => undefined,
		);
	void send();
	const timer = setInterval(() => void send(), everySeconds * 1000);
	return () => clearInterval(timer);
}
