/** Polls until a condition holds. p-wait-for and p-retry have no CommonJS build. */

/**
 * Resolves once `isTrue` returns true; until then it may throw, too. The longer it takes, the less often it is called.
 * @throws after `timeoutMs`
 */
export async function waitUntil(
	isTrue: () => boolean | Promise<boolean>,
	timeoutMs = 300_000,
): Promise<void> {
	const startedAt = performance.now();
	let cause: unknown;
	for (;;) {
		try {
			if (await isTrue()) return;
		} catch (error) {
			cause = error;
		}
		const waitedMs = performance.now() - startedAt;
		if (waitedMs > timeoutMs) throw new Error(`not true within ${timeoutMs} ms`, { cause });
		await new Promise((resolve) => setTimeout(resolve, Math.min(5 + waitedMs / 20, 100)));
	}
}
