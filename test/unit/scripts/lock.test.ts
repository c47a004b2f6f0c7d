/** A lock is held by one at a time, also when the holder before has left it behind. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import * as fileSystem from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { withLock } from '../../../scripts/host/lock';
import { waitUntil } from '../../support/waitUntil';

jest.mock('node:fs/promises', () => {
	const actual = jest.requireActual<typeof fileSystem>('node:fs/promises');
	return { ...actual, stat: jest.fn(actual.stat) };
});

const LONG_AGO = new Date(0);

let folder: string;
let lock: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'lock-'));
	lock = join(folder, 'lock');
});
afterEach(() => {
	jest.mocked(fileSystem.stat).mockClear();
	rmSync(folder, { recursive: true, force: true });
});

function abandon(path: string): void {
	mkdirSync(path);
	utimesSync(path, LONG_AGO, LONG_AGO);
}

/** The next look at the lock's age sees it as it is now, but tells only when the promise resolves. */
function delayNextLook(until: Promise<void>): void {
	jest.mocked(fileSystem.stat).mockImplementationOnce(async (path) => {
		const { stat } = jest.requireActual<typeof fileSystem>('node:fs/promises');
		const seen = await stat(path);
		await until;
		return seen;
	});
}

test('one holds it at a time', async () => {
	let holding = 0;
	const work = async (): Promise<void> => {
		holding += 1;
		expect(holding).toBe(1);
		await sleep(20);
		holding -= 1;
	};
	await Promise.all([withLock(lock, work), withLock(lock, work), withLock(lock, work)]);
	expect(readdirSync(folder)).toEqual([]);
});

test('what was left behind is taken away', async () => {
	abandon(lock);
	await expect(withLock(lock, () => Promise.resolve('done'))).resolves.toBe('done');
});

test('what was left behind in the middle of taking a lock away is taken away too', async () => {
	abandon(lock);
	abandon(`${lock}.removal`);
	await expect(withLock(lock, () => Promise.resolve('done'))).resolves.toBe('done');
	expect(readdirSync(folder)).toEqual([]);
});

test('what was left behind is taken away once, not the lock of who has come first', async () => {
	abandon(lock);
	const steps: string[] = [];
	let goOn = (): void => undefined;
	delayNextLook(new Promise((resolve) => (goOn = resolve)));
	const late = withLock(lock, () => Promise.resolve(steps.push('late')));
	await waitUntil(() => jest.mocked(fileSystem.stat).mock.calls.length === 1);
	await withLock(lock, async () => {
		goOn();
		// Longer than there is between two attempts.
		await sleep(1_500);
		steps.push('first');
	});
	await late;
	expect(steps).toEqual(['first', 'late']);
});
