// What must hold of executions that send the same keyed documents side by side.
import type { Sandbox } from '../../sandbox/server';
import type { ExecutionResult } from '../../scripts/host/executionData';
import { itemsOf } from './realN8n';
import { SEND } from './workflows';

/** Each document has gone out once, and one execution, no other, tells that it has sent it. */
export function expectEachSentOnce(
	{ journal }: Sandbox,
	documents: Array<{ id: string }>,
	results: ExecutionResult[],
): void {
	const sent = journal.documents().map(({ body }) => (body as { id: string }).id);
	expect(sent.sort()).toEqual(documents.map(({ id }) => id).sort());
	const isWhole = (result: ExecutionResult) => itemsOf(result, SEND).length === documents.length;
	expect(results.filter((result) => !isWhole(result))).toEqual([]);
	for (const [index, { id }] of documents.entries()) {
		const reported = results.map((result) => itemsOf(result, SEND)[index] as { status?: string });
		const times = reported.filter(({ status }) => status === 'sent').length;
		expect([{ id, reported }, times]).toEqual([{ id, reported }, 1]);
	}
}
