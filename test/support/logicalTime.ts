/** Tests in logical time: timers fire in order, in no time. */

/** Lets `ms` milliseconds of logical time pass until `promise` settles, at most. */
export async function passTime<T>(promise: Promise<T>, ms: number): Promise<T> {
	let isSettled = false;
	const settle = () => (isSettled = true);
	promise.then(settle, settle);
	const end = performance.now() + ms;
	await jest.advanceTimersByTimeAsync(0);
	while (!isSettled && performance.now() < end) {
		await jest.advanceTimersToNextTimerAsync();
		if (jest.getTimerCount() === 0) break;
	}
	await jest.advanceTimersByTimeAsync(0);
	if (!isSettled) throw new Error(`not settled within ${ms} ms of logical time`);
	return await promise;
}

/** Resolves after `ms` of logical time. */
export async function after(ms: number): Promise<void> {
	await new Promise<void>((resolve) => setTimeout(resolve, ms));
}
