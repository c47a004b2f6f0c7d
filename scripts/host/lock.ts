// A lock between processes: a folder, because making one either succeeds or finds it there, on every
// system. The holder touches it again and again, so a lock that was left behind is told by its age.
// With proper-lockfile, two processes can both get an abandoned lock.
import { rmSync } from 'node:fs';
import { mkdir, rm, stat, utimes } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Note } from './progress';

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

/** Takes away a lock whose holder no longer touches it. */
async function removeIfAbandoned(lockFolder: string): Promise<void> {
	if (!(await isAbandoned(lockFolder))) return;
	// Since that look, another may have removed it and a third taken it: the remover looks again, alone.
	const removal = `${lockFolder}.removal`;
	if (await tryToLock(removal)) {
		if (await isAbandoned(lockFolder)) await rm(lockFolder, { recursive: true, force: true });
		await rm(removal, { recursive: true, force: true });
	} else if (await isAbandoned(removal)) {
		// Its holder was ended within these few moments.
		await rm(removal, { recursive: true, force: true });
	}
}

/**
 * Does some work while no other process does work under the same lock.
 *
 * @param lockFolder The folder that is the lock; its parent must exist.
 * @param note Told, if this process has to wait.
 */
export async function withLock<Result>(
	lockFolder: string,
	work: () => Promise<Result>,
	note: Note = () => undefined,
): Promise<Result> {
	while (!(await tryToLock(lockFolder))) {
		note(`waiting for another start that holds ${lockFolder}`);
		await removeIfAbandoned(lockFolder);
		await sleep(SECONDS_BETWEEN_TRIES * 1000);
	}
	const touching = setInterval(() => {
		const now = new Date();
		// A lock that is gone is not made again: then another process has taken it.
		utimes(lockFolder, now, now).catch(() => undefined);
	}, SECONDS_BETWEEN_TOUCHES * 1000);
	// Without it, a start after an interruption would wait until the lock counts as abandoned.
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
