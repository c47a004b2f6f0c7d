/** Waiting for something that happens elsewhere. p-wait-for and p-retry have no CommonJS form. */

/** Resolves when `isTrue` returns true; until then it may also fail. @throws after `timeoutMs` */
export async function waitUntil(
	isTrue: () => boolean | Promise<boolean>,
	timeoutMs = 100_000,
): Promise<void> {
	const deadline = performance.now() + timeoutMs;
	let cause: unknown;
	for (;;) {
		try {
			if (await isTrue()) return;
		} catch (error) {
			cause = error;
		}
		if (performance.now() > deadline) throw new Error(`not true within ${timeoutMs} ms`, { cause });
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
}
