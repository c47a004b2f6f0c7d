/** Sent Document: what a user asks of a Send Once Key, and changes. */
import { type Bench, NODE } from './bench';
import { sentDocument } from './parameters';

/** The states of keys of Transaction → Send. */
export async function statesOf(bench: Bench, keys: string[]): Promise<unknown[]> {
	const result = await bench.run(
		keys.map((id) => ({ id })),
		sentDocument('get'),
	);
	expect(result.run.status).toBe('success');
	return result.json(NODE).map(({ state }) => state);
}
