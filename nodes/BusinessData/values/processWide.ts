/**
 * Returns a getter of a value that exists once per process. The value stands on the global object, because n8n may load
 * this package twice (an update, a second path).
 * @param name changes with the meaning of the value, as two versions of the package share it
 */
export function processWide<T>(name: string, create: () => T): () => T {
	const values = globalThis as unknown as Record<symbol, T | undefined>;
	const symbol = Symbol.for(`n8n-nodes-business-data/${name}`);
	return () => (values[symbol] ??= create());
}
