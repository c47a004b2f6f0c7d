// The same executions over two workers, with their limits counted in a cluster and behind Sentinels whose
// primary is lost in mid-run.
import { type LimitSettings } from '../../nodes/BusinessData/transport/endpoints';
import { expectAllRespondedOnce, type QueueBench } from '../support/queueBench';
import { callAll } from '../support/queueRuns';
import { startCluster, startSentinel, type Topology } from '../support/redisTopologies';

const RUN_MS = 180_000;
/** What the new primary lacks is entered again when its process notices. */
const A_HANDFUL = 5;

export function failOverTests(
	bench: QueueBench,
	limits: LimitSettings,
	midRun: () => Promise<void>,
): void {
	test.each<[string, () => Promise<Topology>]>([
		['a cluster', async () => await startCluster('*:slots:general')],
		['Sentinels', startSentinel],
	])(
		'%s: all executions come through, with hardly a refusal',
		async (_, start) => {
			const topology = await start();
			try {
				await bench.open(limits, 'sliding', topology.fields);
				const run = callAll(bench.n8n);
				await midRun();
				await topology.failOver();
				const responses = await run;
				expectAllRespondedOnce(bench, responses);
				expect(bench.sandbox.journal.refused().length).toBeLessThanOrEqual(A_HANDFUL);
			} finally {
				await topology.dispose();
			}
		},
		RUN_MS,
	);
}
