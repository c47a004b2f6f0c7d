/**
 * When a worker dies or hangs, n8n 1.x runs its execution again on another one. So each run that sends without Send Once
 * Keys is recorded with the processes that have begun it: the second one sends nothing, and the first one stops sending.
 * A sub-workflow runs again under a new execution ID, so its runs are not recognized.
 */
import { randomUUID } from 'node:crypto';

import type { IExecuteFunctions } from 'n8n-workflow';

import { runsAgainAfterCrash } from '../n8nInternals/services';
import { runNameOf } from '../run/previousAttempts';
import { RequestError } from '../transport/requestError';
import type { SendGuard } from '../transport/serviceRequest';
import { hashOf } from '../values/hash';
import { processWide } from '../values/processWide';
import { rowNameOf, rowOf } from './keyRow';
import { addSentKey } from './sentKeys';

/** Recorded for each run. One per process, because Retry On Fail and tool calls repeat a run, even after an update. */
const processId = processWide<string>('process/1', randomUUID);
/** How many runs of a workflow are remembered. The first turn of a loop must be remembered until the loop ends. */
const MOST_RUNS = 50_000;

const ADVICE =
	'Check in the service what the first run has sent. To let n8n run nothing again, set QUEUE_WORKER_MAX_STALLED_COUNT=0 on every process; or use a Send Once Key.';

/**
 * Records the run. If the store fails, documents go out as they would without a record.
 * @returns a guard that stops its requests once another process begins the run; undefined if n8n runs nothing again
 * @throws RequestError if another process has begun the run
 */
export async function guardRun(context: IExecuteFunctions): Promise<SendGuard | undefined> {
	// Calls through an MCP trigger have no execution: n8n never runs them again, and all of them would count as one run.
	const executionId: string | undefined = context.getExecutionId();
	if (executionId === undefined || !runsAgainAfterCrash()) return undefined;
	const workflowId = context.getWorkflow().id ?? '';
	const id = { workflowId, document: 'runs', name: hashOf([runNameOf(context)], 22) };
	const own = processId();
	const row = () => rowOf(id, rowNameOf(id.name));
	const record = async () => {
		const [added] = await row().add([own]);
		if (added !== undefined) await addSentKey(id, MOST_RUNS);
	};
	const read = async () => (await row().read([own])) ?? [];
	const readProcesses = async () => await read().catch((): unknown[] => []);
	await record().catch(() => undefined);
	const [first = own] = await readProcesses();
	if (first !== own) {
		throw new RequestError(
			'The execution may have sent documents before: its worker has died or hung, and n8n runs it again',
			{ outcome: 'unknown', description: `This run sent nothing. ${ADVICE}` },
		);
	}
	return {
		acquire: async () => {
			if ((await readProcesses()).every((one) => one === own)) return undefined;
			throw new RequestError(
				'n8n runs this execution again on another worker, so this run sends nothing more',
				{ outcome: 'notSent', description: `Its worker had hung. ${ADVICE}` },
			);
		},
		complete: async () => await Promise.resolve(),
	};
}
