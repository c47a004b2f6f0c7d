// Starts programs so that none of them outlives this process: each gets a process group of its own,
// which is ended as a whole, also when this process ends by an error or a signal. Windows has no such
// groups; there, a program is ended together with those that it has started.
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

/** Ends what is left of a program's process group at once. Does nothing when there is nothing left. */
export function killGroup(child: ChildProcess): void {
	if (child.pid === undefined) return;
	if (process.platform === 'win32') {
		// The number of a program that has ended may be another's by now.
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

/** Tells a program to end. On Windows nothing can be told, so it ends at once, with what it has started. */
export function askToEnd(child: ChildProcess): void {
	if (process.platform === 'win32') killGroup(child);
	else child.kill('SIGTERM');
}

/**
 * Starts a program in a process group of its own.
 *
 * @returns The child process, and how it ended. The promise is rejected when it cannot be started.
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
		// On Windows a detached program would open a window of its own.
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
	// A caller that does not wait for the end must not be brought down by a failed start.
	ended.catch(() => undefined);
	return { child, ended };
}

/** Ends all programs that are still running, at once, and waits for their ends. */
export async function endPrograms(): Promise<void> {
	const children = [...running];
	children.forEach(killGroup);
	await Promise.all(
		children
			.filter((child) => !isGone(child))
			.map((child) => new Promise((resolve) => child.once('exit', resolve))),
	);
}
