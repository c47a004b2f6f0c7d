/** Services of n8n's own, which nodes are not handed. Where an n8n lacks one, the trigger does without it. */

/** The service, if n8n has loaded its module and it has the methods. */
export function findService<Service extends object>(
	module: string,
	name: string,
	methods: ReadonlyArray<keyof Service>,
): Service | undefined {
	try {
		const loaded = require.cache[require.resolve(module)]?.exports as
			Record<string, unknown> | undefined;
		// eslint-disable-next-line @typescript-eslint/no-require-imports -- n8n's, and not there in every n8n
		const { Container } = require('@n8n/di') as { Container: { get(type: unknown): unknown } };
		const service = Container.get(loaded?.[name]) as Service;
		return methods.every((method) => typeof service[method] === 'function') ? service : undefined;
	} catch {
		return undefined;
	}
}

/** Whether n8n is about to end. It runs nothing any more for the items of a poll, even of one that it waits for. */
export function isStopping(): boolean {
	const service = findService<{ isShuttingDown(): boolean }>(
		'n8n/dist/shutdown/shutdown.service',
		'ShutdownService',
		['isShuttingDown'],
	);
	return service?.isShuttingDown() ?? false;
}
