/**
 * When a worker dies or hangs, n8n 1.x runs its execution again on another one. So each run that sends without Send Once Keys is
 * recorded, and the same run in another process sends nothing. A sub-workflow runs again under a new execution ID, so its
 * runs are not recognized.
 */
import { randomUUID } from 'node:crypto';

import type { IExecuteFunctions } from 'n8n-workflow';

import { runsAgainAfterCrash } from '../n8nInternals/services';
import { runNameOf } from '../run/previousAttempts';
import { RequestError } from '../transport/requestError';
import { hashOf } from '../values/hash';
import { rowNameOf, rowOf } from './keyRow';
import { addSentKey } from './sentKeys';

/** In the row of a run, whose first entry has begun it: Retry On Fail and calls of a tool repeat a run in one process. */
const PROCESS = randomUUID();
/** How many runs of a workflow are remembered. */
const MOST_RUNS = 1_000;

/** @throws RequestError when another process has begun the run */
export async function requireFirstRun(context: IExecuteFunctions): Promise<void> {
	// If the store fails, the run goes on, as it would without a record.
	if (!runsAgainAfterCrash() || (await begin(context).catch(() => true))) return;
	throw new RequestError(
		'The execution may have sent documents before: its worker has died or hung, and n8n runs it again',
		{
			outcome: 'unknown',
			description:
				'This run sent nothing, but a worker that only hung may go on. Check in the service what the first run has sent. To let n8n run nothing again, set QUEUE_WORKER_MAX_STALLED_COUNT=0 on every process; or use a Send Once Key.',
		},
	);
}

/** @returns whether it is this process that has begun the run */
async function begin(context: IExecuteFunctions): Promise<boolean> {
	const workflowId = context.getWorkflow().id ?? '';
	const id = { workflowId, document: 'runs', name: hashOf([runNameOf(context)], 22) };
	const row = rowOf(id, rowNameOf(id.name));
	const [added] = await row.add([PROCESS]);
	if (added !== undefined) await addSentKey(id, MOST_RUNS);
	return (await row.read([PROCESS]))?.[0] === PROCESS;
}
