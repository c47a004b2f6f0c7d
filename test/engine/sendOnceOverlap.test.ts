// With a Send Once Key, a document goes out once also where executions overlap, over n8n's own
// deduplication store; what certainly was not sent is sent by the next run.

import { NO_LIMITS, useBench } from '../support/bench';
import { useDeduplicator } from '../support/deduplicator';
import { readRun } from '../support/engine';
import { playRounds, Round, type Task } from '../support/overlapRound';
import { endOf, overlapWorkflow } from '../support/overlapWorkflow';

const ROUNDS = 80;
const AT_ONCE = 10;
const SEED = 2026;
const TIMEOUT_SECONDS = 0.25;
const bench = useBench({ limits: NO_LIMITS });
useDeduplicator();

function start(task: Task) {
	const workflow = overlapWorkflow(task, TIMEOUT_SECONDS);
	const execution = bench.engine.start(workflow, { key: bench.credential });
	return {
		ended: execution.then((run) => endOf(readRun(run), task)),
		stop: () => execution.cancel(),
	};
}

test(`${ROUNDS} rounds of overlapping executions with faults and stops`, async () => {
	const rounds = Array.from(
		{ length: ROUNDS },
		(_, number) => new Round(bench.sandbox, start, number, SEED),
	);
	await playRounds(rounds, AT_ONCE, async (round) => {
		await round.play();
		await round.playAgain();
	});
}, 240_000);
