// Starts and stops one process of an n8n instance: the main process, a worker or a webhook process.
import { openSync, closeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { askToEnd, type Ending, killGroup, startProgram } from './childProcesses';
import { freePort } from './freePort';
import type { N8nHost } from './installN8n';
import { n8nEnvironment } from './n8nEnvironment';
import type { UserFolder } from './userFolder';

const SECONDS_BETWEEN_HEALTH_CHECKS = 0.25;
const SECONDS_FOR_A_HEALTH_CHECK = 30;
const SECONDS_UNTIL_READY = 600;
const SECONDS_UNTIL_STOPPED = 60;
const LOG_LINES_IN_AN_ERROR = 30;

/** The role of an n8n process, which is also n8n's command. */
export type N8nRole = 'start' | 'worker' | 'webhook';

export interface N8nProcessOptions {
	host: N8nHost;
	userFolder: UserFolder;
	role?: N8nRole;
	/** The port on 127.0.0.1 (of a worker: for its health check); by default a free one. */
	port?: number;
	/** The name of the log, to distinguish processes with the same role. */
	name?: string;
	/** Additional settings, e.g. for queue mode. */
	environment?: Record<string, string>;
}

/** A running n8n process that is ready. */
export interface N8nProcess {
	/** `http://127.0.0.1:PORT` */
	url: string;
	/** The file with its output. */
	logFile: string;
	/** Resolves when it has ended for whatever reason. */
	ended: Promise<Ending>;
	/** Stops it gracefully, or by force after 60 seconds, and waits for its end. May be called again. */
	stop(): Promise<void>;
	/** Kills it, as a crash would, and waits for its end. */
	kill(): Promise<void>;
}

async function lastLogLines(logFile: string): Promise<string> {
	const lines = (await readFile(logFile, 'utf8')).trimEnd().split('\n');
	return [...lines.slice(-LOG_LINES_IN_AN_ERROR), `All of it: ${logFile}`].join('\n');
}

async function responds(url: string, status: number): Promise<boolean> {
	try {
		const response = await fetch(url, {
			signal: AbortSignal.timeout(SECONDS_FOR_A_HEALTH_CHECK * 1000),
		});
		await response.arrayBuffer();
		return response.status === status;
	} catch {
		// It is not listening yet.
		return false;
	}
}

/** Waits until a process is ready. Throws if it ends before, or takes too long. */
async function waitUntilReady(url: string, role: N8nRole, ended: Promise<Ending>): Promise<void> {
	const isReady = async (): Promise<boolean> =>
		(await responds(`${url}/healthz/readiness`, 200)) &&
		// n8n 1.x reports that it is ready as soon as its database is. The 401 is for the missing login.
		(role !== 'start' || (await responds(`${url}/rest/login`, 401)));
	const deadline = performance.now() + SECONDS_UNTIL_READY * 1000;
	let ending: Ending | undefined;
	ended.then(
		(value) => (ending = value),
		() => (ending = { status: null, signal: null }),
	);
	while (!(await isReady())) {
		if (ending !== undefined) {
			throw new Error(
				`n8n ended before it was ready (${ending.signal ?? `status ${ending.status}`}).`,
			);
		}
		if (performance.now() > deadline)
			throw new Error(`n8n was not ready after ${SECONDS_UNTIL_READY} seconds.`);
		await sleep(SECONDS_BETWEEN_HEALTH_CHECKS * 1000);
	}
}

/**
 * Starts an n8n process and waits until it is ready. It never outlives this process.
 *
 * @throws An error with the last lines of its log if it does not become ready.
 */
export async function startN8n(options: N8nProcessOptions): Promise<N8nProcess> {
	try {
		return await startOnce(options);
	} catch (error) {
		// Another program may have taken the free port before n8n listened there.
		if (!/port \d+ is already in use/.test(String(error))) throw error;
		return await startOnce(options);
	}
}

async function startOnce(options: N8nProcessOptions): Promise<N8nProcess> {
	const { host, userFolder, role = 'start', name = role } = options;
	const port = options.port ?? (await freePort());
	const logFile = join(userFolder.logFolder, `n8n-${name}.log`);
	const log = openSync(logFile, 'a');
	const { child, ended } = startProgram(
		host.nodePath,
		['--require', join(__dirname, 'endWithParent.js'), host.n8nScript, role],
		{
			// n8n reads a .env file in its working folder, and there is none here.
			cwd: userFolder.path,
			env: n8nEnvironment(host, userFolder, {
				N8N_PORT: String(port),
				N8N_RUNNERS_BROKER_PORT: String(await freePort()),
				QUEUE_HEALTH_CHECK_ACTIVE: 'true',
				QUEUE_HEALTH_CHECK_PORT: String(port),
				...options.environment,
			}),
			stdio: ['ignore', log, log, 'ipc'],
		},
	);
	closeSync(log);
	const stop = async (): Promise<void> => {
		askToEnd(child);
		const force = setTimeout(() => killGroup(child), SECONDS_UNTIL_STOPPED * 1000);
		await ended.catch(() => undefined);
		clearTimeout(force);
		// Its task runner is a separate process, and may still be running.
		killGroup(child);
	};
	const kill = async (): Promise<void> => {
		killGroup(child);
		await ended.catch(() => undefined);
	};
	const url = `http://127.0.0.1:${port}`;
	try {
		await waitUntilReady(url, role, ended);
	} catch (error) {
		await stop();
		const reason = error instanceof Error ? error.message : String(error);
		throw new Error(`${reason} The end of its log:\n${await lastLogLines(logFile)}`);
	}
	return { url, logFile, ended, stop, kill };
}
