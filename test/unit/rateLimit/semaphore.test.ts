// Bottleneck holds the places, also without its timers and events.

import Bottleneck from 'bottleneck';

import { Semaphore } from '../../../nodes/BusinessData/rateLimit/semaphore';

const turn = async () => await new Promise((resolve) => setImmediate(resolve));

function failOnFault(fault: unknown): void {
	throw fault;
}

/** Jobs that run until they are told to end. */
function jobs(semaphore: Semaphore) {
	const running: Array<() => void> = [];
	const start = () =>
		void semaphore.run(async () => await new Promise<void>((end) => running.push(end)));
	return { running, start };
}

test('at most so many jobs run at once, and the next starts when one ends', async () => {
	const { running, start } = jobs(new Semaphore(2, failOnFault));
	for (let job = 0; job < 4; job++) start();
	await turn();
	expect(running).toHaveLength(2);
	running[0]?.();
	await turn();
	expect(running).toHaveLength(3);
	running[1]?.();
	running[2]?.();
	await turn();
	expect(running).toHaveLength(4);
});

test('a changed limit counts at once, with the jobs that run already', async () => {
	const semaphore = new Semaphore(3, failOnFault);
	const { running, start } = jobs(semaphore);
	start();
	start();
	await turn();
	semaphore.changeMax(1);
	start();
	await turn();
	running[0]?.();
	await turn();
	expect(running).toHaveLength(2);
	running[1]?.();
	await turn();
	expect(running).toHaveLength(3);
	semaphore.changeMax(2);
	start();
	await turn();
	expect(running).toHaveLength(4);
});

test('a job that fails gives its place back', async () => {
	const semaphore = new Semaphore(1, failOnFault);
	await expect(
		semaphore.run(async () => await Promise.reject(new Error('failed'))),
	).rejects.toThrow('failed');
	expect(await semaphore.run(async () => await Promise.resolve('next'))).toBe('next');
});

test('a fault of Bottleneck is reported', async () => {
	const faults: unknown[] = [];
	const semaphore = new Semaphore(1, (fault) => faults.push(fault));
	const limiter = Object.values(semaphore).find((value) => value instanceof Bottleneck);
	const store = Reflect.get(limiter ?? {}, '_store') as { __register__: unknown };
	store.__register__ = async () => await Promise.reject(new Error('broken'));
	void semaphore.run(async () => await Promise.resolve());
	await turn();
	expect(faults).toEqual([expect.objectContaining({ message: 'broken' })]);
});
