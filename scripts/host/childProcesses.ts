// Starts programs so that none outlives this process: each gets its own process group, which is killed as a whole even
// if this process ends by an error or a signal. Windows has no such groups; there, a program is killed together with
// its children.
// execa 10 needs Node.js 22, and tree-kill misses children of a program that has ended.
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';

const running = new Set<ChildProcess>();
let isWatchingForExit = false;

/** How a program ended: its exit status, or the signal that ended it. */
export interface Ending {
	status: number | null;
	signal: NodeJS.Signals | null;
}

function isGone({ exitCode, signalCode }: ChildProcess): boolean {
	return exitCode !== null || signalCode !== null;
}

/** Kills what is left of a program's process group. */
export function killGroup(child: ChildProcess): void {
	if (child.pid === undefined) return;
	if (process.platform === 'win32') {
		// The process ID of a program that has ended may have been reused.
		if (isGone(child)) return;
		spawnSync('taskkill', ['/pid', String(child.pid), '/t', '/f'], { windowsHide: true });
		return;
	}
	try {
		process.kill(-child.pid, 'SIGKILL');
	} catch {
		// The group is gone already.
	}
}

/** Sends SIGTERM to a program. Windows has no such signal, so there it is killed with its children. */
export function askToEnd(child: ChildProcess): void {
	if (process.platform === 'win32') killGroup(child);
	else child.kill('SIGTERM');
}

/**
 * Starts a program in its own process group.
 *
 * @returns The child process, and a promise of how it ended, which rejects if it cannot be started.
 */
export function startProgram(
	command: string,
	parameters: string[],
	options: SpawnOptions,
): { child: ChildProcess; ended: Promise<Ending> } {
	if (!isWatchingForExit) {
		isWatchingForExit = true;
		process.on('exit', () => running.forEach(killGroup));
	}
	const child = spawn(command, parameters, {
		...options,
		// On Windows, a detached program would open its own window.
		detached: process.platform !== 'win32',
		windowsHide: true,
	});
	running.add(child);
	const ended = new Promise<Ending>((resolve, reject) => {
		child.once('error', (error) => {
			running.delete(child);
			reject(new Error(`${command} cannot be started: ${error.message}`, { cause: error }));
		});
		child.once('close', (status, signal) => {
			running.delete(child);
			resolve({ status, signal });
		});
	});
	// For a caller that does not wait for the end, a failed start must not be an unhandled rejection.
	ended.catch(() => undefined);
	return { child, ended };
}

/** Kills all programs that are still running, and waits until they have ended. */
export async function endPrograms(): Promise<void> {
	const children = [...running];
	children.forEach(killGroup);
	await Promise.all(
		children
			.filter((child) => !isGone(child))
			.map((child) => new Promise((resolve) => child.once('exit', resolve))),
	);
}
