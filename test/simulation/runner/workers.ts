/** Plays many seeds in child processes, one per processor. */
import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

import type { Outcome } from '../play';
import type { Job } from './worker';

/** A play that takes longer (ms) will never end. */
const LONGEST_PLAY_MS = 600_000;

/**
 * @param jobs played in parallel, each as soon as a process is free
 * @param onOutcome called with each job and its outcome, in any order
 */
export async function playAll<T extends Job>(
	jobs: IterableIterator<T>,
	onOutcome: (job: T, outcome: Outcome) => void,
): Promise<void> {
	const playJobs = async () => {
		let worker = start();
		for (const job of jobs) {
			const outcome = await playIn(worker, job);
			if (outcome === undefined) {
				worker.kill('SIGKILL');
				worker = start();
			}
			onOutcome(job, outcome ?? WITHOUT_END);
		}
		worker.disconnect();
	};
	await Promise.all(Array.from({ length: availableParallelism() }, playJobs));
}

const WITHOUT_END: Outcome = {
	violations: [
		{ kind: 'no end', text: `its process ended, or played longer than ${LONGEST_PLAY_MS} ms` },
	],
	history: [],
	simulatedMs: 0,
	requests: 0,
};

function start(): ChildProcess {
	// The child needs tsx too. Most of its objects are short-lived, so it gets a large young generation.
	return fork(join(__dirname, 'worker.ts'), {
		execArgv: ['--max-semi-space-size=64', '--import', 'tsx'],
	});
}

async function playIn(worker: ChildProcess, job: Job): Promise<Outcome | undefined> {
	return await new Promise<Outcome | undefined>((resolve) => {
		const timer = setTimeout(() => resolve(undefined), LONGEST_PLAY_MS);
		const onExit = () => resolve(undefined);
		worker.once('exit', onExit);
		worker.once('message', (outcome: Outcome) => {
			clearTimeout(timer);
			worker.off('exit', onExit);
			resolve(outcome);
		});
		worker.send(job);
	});
}
