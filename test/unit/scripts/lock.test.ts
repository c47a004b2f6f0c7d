/** A lock is held by one at a time, also when the holder before has left it behind. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { withLock } from '../../../scripts/host/lock';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'lock-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test.each([
	['nothing was left behind', []],
	['a lock was left behind', ['lock']],
	['it was left behind in the middle of taking a lock away', ['lock', 'lock.removal']],
])('one holds it at a time where %s', async (_, left) => {
	for (const name of left) {
		mkdirSync(join(folder, name));
		utimesSync(join(folder, name), new Date(0), new Date(0));
	}
	let holding = 0;
	const work = async (): Promise<void> => {
		holding += 1;
		expect(holding).toBe(1);
		await sleep(20);
		holding -= 1;
	};
	const lock = join(folder, 'lock');
	await Promise.all([withLock(lock, work), withLock(lock, work), withLock(lock, work)]);
	expect(readdirSync(folder)).toEqual([]);
});
