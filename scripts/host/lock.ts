// A lock between processes: a folder, because creating one is atomic on every system. Its holder touches it
// periodically, so an abandoned lock can be recognized by its age.
// With proper-lockfile, two processes can both get an abandoned lock.
import { rmSync } from 'node:fs';
import { mkdir, rm, stat, utimes } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const SECONDS_BETWEEN_TOUCHES = 2;
const SECONDS_UNTIL_ABANDONED = 30;
const SECONDS_BETWEEN_TRIES = 0.1;

function hasCode(error: unknown, code: string): boolean {
	return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}

async function tryToLock(lockFolder: string): Promise<boolean> {
	try {
		await mkdir(lockFolder);
		return true;
	} catch (error) {
		if (hasCode(error, 'EEXIST')) return false;
		throw error;
	}
}

async function isAbandoned(lockFolder: string): Promise<boolean> {
	try {
		const { mtimeMs } = await stat(lockFolder);
		return Date.now() - mtimeMs >= SECONDS_UNTIL_ABANDONED * 1000;
	} catch (error) {
		if (hasCode(error, 'ENOENT')) return false;
		throw error;
	}
}

/** Removes a lock that its holder no longer touches. */
async function removeIfAbandoned(lockFolder: string): Promise<void> {
	if (!(await isAbandoned(lockFolder))) return;
	// Meanwhile, another process may have removed it and a third acquired it, so check again under a lock.
	const removal = `${lockFolder}.removal`;
	if (await tryToLock(removal)) {
		if (await isAbandoned(lockFolder)) await rm(lockFolder, { recursive: true, force: true });
		await rm(removal, { recursive: true, force: true });
	} else if (await isAbandoned(removal)) {
		// Its holder was killed during the removal.
		await rm(removal, { recursive: true, force: true });
	}
}

/**
 * Does work while no other process holds the same lock.
 *
 * @param lockFolder The folder that is the lock; its parent must exist.
 */
export async function withLock<Result>(
	lockFolder: string,
	work: () => Promise<Result>,
): Promise<Result> {
	while (!(await tryToLock(lockFolder))) {
		await removeIfAbandoned(lockFolder);
		await sleep(SECONDS_BETWEEN_TRIES * 1000);
	}
	const touching = setInterval(() => {
		const now = new Date();
		// A lock that is gone is not created again, because another process may have it.
		utimes(lockFolder, now, now).catch(() => undefined);
	}, SECONDS_BETWEEN_TOUCHES * 1000);
	// Otherwise, a start after an interruption would wait until the lock counts as abandoned.
	const removeAtExit = (): void => rmSync(lockFolder, { recursive: true, force: true });
	process.once('exit', removeAtExit);
	try {
		return await work();
	} finally {
		clearInterval(touching);
		process.off('exit', removeAtExit);
		await rm(lockFolder, { recursive: true, force: true });
	}
}
