/**
 * What all executions of this process share for Send Once, on the global object, because n8n may load this
 * package twice (an update, a second path). Only plain maps, promises and functions stand there, so that
 * two versions understand each other.
 */

type Step = () => Promise<void>;

interface ProcessState {
	/** By the name of a record: settles when the last of those who change it is done. */
	turns: Map<string, Promise<void>>;
	/** By the name of a record: what could not be done and must be done before anything else. */
	repairs: Map<string, Step[]>;
	/** By the name of a key: settles when whoever is sending it is done. */
	claims: Map<string, Promise<void>>;
}

const STATE = Symbol.for('n8n-nodes-business-data/sendOnce/1');

type GlobalWithState = typeof globalThis & { [STATE]?: ProcessState };

function state(): ProcessState {
	const global = globalThis as GlobalWithState;
	return (global[STATE] ??= { turns: new Map(), repairs: new Map(), claims: new Map() });
}

/**
 * Runs `step` when every earlier step on the record is done, and what is left to repair of it.
 * @throws what the step throws, or a repair
 */
export async function inTurn<T>(record: string, step: () => Promise<T>): Promise<T> {
	const { turns } = state();
	const result = (turns.get(record) ?? Promise.resolve()).then(step);
	const end = result.then(
		() => undefined,
		() => undefined,
	);
	turns.set(record, end);
	try {
		return await result;
	} finally {
		if (turns.get(record) === end) turns.delete(record);
	}
}

/** Leaves something to be done before the next step on the record. */
export function repairLater(record: string, repair: Step): void {
	const { repairs } = state();
	repairs.set(record, [...(repairs.get(record) ?? []), repair]);
}

/** Whether something was left to be done. */
export function isToBeRepaired(record: string): boolean {
	return state().repairs.has(record);
}

/** Does what was left, in order. To be called in the record's turn. @throws what a repair throws */
export async function repair(record: string): Promise<void> {
	const { repairs } = state();
	// More may be left meanwhile.
	for (let next = repairs.get(record)?.[0]; next !== undefined; next = repairs.get(record)?.[0]) {
		await next();
		const left = (repairs.get(record) ?? []).filter((one) => one !== next);
		if (left.length > 0) repairs.set(record, left);
		else repairs.delete(record);
	}
}

/** Settles when whoever is sending the key is done; undefined when nobody is. */
export function claimOf(name: string): Promise<void> | undefined {
	return state().claims.get(name);
}

/** Claims a key that nobody claims. Returns what gives it back. */
export function claimKey(name: string): () => void {
	const { claims } = state();
	let end: () => void = () => undefined;
	const claim = new Promise<void>((resolve) => (end = resolve));
	claims.set(name, claim);
	return () => {
		if (claims.get(name) === claim) claims.delete(name);
		end();
	};
}
