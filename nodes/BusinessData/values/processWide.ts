/**
 * Returns a getter of a value on the global object, because n8n may load this package twice (an update, a second path).
 * @param name must change whenever the meaning of the value does, because two versions of the package share it
 */
export function processWide<T>(name: string, create: () => T): () => T {
	const values = globalThis as unknown as Record<symbol, T | undefined>;
	const symbol = Symbol.for(`n8n-nodes-business-data/${name}`);
	return () => (values[symbol] ??= create());
}
