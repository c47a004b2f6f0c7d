/** n8n's own services, for what its API for nodes does not offer. If an n8n lacks one, the package does without it. */

interface Container {
	get(type: unknown): unknown;
	set(type: unknown, service: object): void;
}

/** @throws if this n8n has none */
function containerOfN8n(): Container {
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- n8n's, and not there in every n8n
	return (require('@n8n/di') as { Container: Container }).Container;
}

/** The service, if n8n has loaded its module and it has these methods. */
export function findService<Service extends object>(
	module: string,
	name: string,
	methods: ReadonlyArray<keyof Service>,
): Service | undefined {
	try {
		const loaded = require.cache[require.resolve(module)]?.exports as
			Record<string, unknown> | undefined;
		const service = containerOfN8n().get(loaded?.[name]) as Service;
		return hasMethods(service, methods) ? service : undefined;
	} catch {
		return undefined;
	}
}

/** Lets n8n find a service of this package by its class. @throws if n8n has no service container */
export function provideService(serviceClass: unknown, service: object): void {
	containerOfN8n().set(serviceClass, service);
}

export function hasMethods<Part extends object>(
	part: Part,
	methods: ReadonlyArray<keyof Part>,
): boolean {
	return methods.every((method) => typeof part[method] === 'function');
}

interface GlobalConfig {
	executions?: { mode?: unknown };
	queue?: { bull?: { settings?: { maxStalledCount?: unknown } } };
}

const globalConfig = () => findService<GlobalConfig>('@n8n/config', 'GlobalConfig', []);

/** Whether separate workers run the executions. False if this n8n does not say. */
export function isQueueMode(): boolean {
	return globalConfig()?.executions?.mode === 'queue';
}

/** Whether n8n restarts an execution from the beginning when its worker has died, as n8n 1.x does by default. */
export function runsAgainAfterCrash(): boolean {
	return isQueueMode() && Number(globalConfig()?.queue?.bull?.settings?.maxStalledCount) > 0;
}

/** The same in n8n 1.123 and 2.41. */
interface WorkflowRepository {
	countBy(where: { id: string }): Promise<number>;
}

/** Whether n8n has a saved workflow with this ID; undefined if it does not say. @throws errors of n8n's database */
export async function isSavedWorkflow(id: string): Promise<boolean | undefined> {
	const workflows = findService<WorkflowRepository>('@n8n/db', 'WorkflowRepository', ['countBy']);
	return workflows && (await workflows.countBy({ id })) > 0;
}
