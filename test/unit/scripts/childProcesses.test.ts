/** Started programs end with all that they have started, on every system. */
import { createInterface } from 'node:readline';
import { once } from 'node:events';

import {
	askToEnd,
	endPrograms,
	killGroup,
	startProgram,
} from '../../../scripts/host/childProcesses';
import { waitUntil } from '../../support/waitUntil';

/** A program that starts another, tells its number, and would run for a minute. */
const PROGRAM = `
const { spawn } = require('node:child_process');
const other = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'ignore' });
console.log(other.pid);
setTimeout(() => {}, 60_000);
`;

async function start() {
	const started = startProgram(process.execPath, ['-e', PROGRAM], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const { stdout } = started.child;
	if (stdout === null) throw new Error('The program has no output');
	const [line] = (await once(createInterface({ input: stdout }), 'line')) as [string];
	return { ...started, otherPid: Number(line) };
}

function isRunning(pid: number): boolean {
	try {
		// Signal 0 only asks.
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}

afterEach(endPrograms);

test('a program is ended together with what it has started', async () => {
	const { child, ended, otherPid } = await start();
	expect(isRunning(otherPid)).toBe(true);
	await endPrograms();
	await ended;
	expect(child.exitCode ?? child.signalCode).not.toBeNull();
	await waitUntil(() => !isRunning(otherPid));
});

test('a program ends when it is asked to', async () => {
	const { child, ended, otherPid } = await start();
	askToEnd(child);
	const { status, signal } = await ended;
	expect(status === 0 && signal === null).toBe(false);
	// What it has left behind is still in its group.
	killGroup(child);
	await waitUntil(() => !isRunning(otherPid));
});
