/**
 * n8n's own services: nodes have no other way to save what a poll without items has seen, or to learn that n8n is
 * shutting down. Where an n8n lacks a service, the package does without it.
 */

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
