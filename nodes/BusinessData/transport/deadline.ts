/** A time limit for a promise. */
import { TimeoutError } from './failure';

/**
 * Settles as `promise` does, or rejects with a TimeoutError at `deadline` (ms, `performance.now()`).
 * @param onTimeout called when it is too late, to give up what `promise` stands for
 */
export async function withDeadline<T>(
	deadline: number,
	promise: Promise<T>,
	onTimeout: () => void,
): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const timeout = new Promise<never>((_, reject) => {
		timer = setTimeout(() => {
			onTimeout();
			reject(new TimeoutError());
		}, deadline - performance.now());
	});
	try {
		return await Promise.race([promise, timeout]);
	} finally {
		clearTimeout(timer);
	}
}
