// A stopped execution ends at once, as canceled, and its queued requests are dropped.

import type { INode } from 'n8n-workflow';

import type { FaultAction } from '../../sandbox/server';
import { expectLists, itemsOf, NODE, type ShownError, useBench } from '../support/bench';
import { after } from '../support/logicalTime';
import {
	CONTINUE_ON_ERROR,
	deleteMany,
	getStatus,
	RETRY_ON_FAIL,
	send,
} from '../support/parameters';

const bench = useBench();

test.each(['continueRegularOutput', 'stopWorkflow'] as const)(
	'a stop ends the wait of sends for their limit and empties the queue (%s)',
	async (onError) => {
		bench.engine.executionId = onError;
		const areSent = () => bench.documents().length === 3;
		const result = await bench.stoppedWhen(areSent, itemsOf(5), send(), { onError });
		expect(result.run.status).toBe('canceled');
		expect(result.task(NODE).error?.message ?? 'canceled').toContain('canceled');
		expect(bench.sandbox.journal.count()).toBe(3);
		// n8n keeps no error, so this checks the log. The third response may not have been read.
		expect(bench.engine.log.join('\n')).toMatch(
			new RegExp(
				`${NODE}: execution ${onError} was stopped. (Sent: items 0–2. Not sent: item 3. Not tried: item 4.|` +
					'Sent: items 0–1. Perhaps sent: item 2. Not tried: items 3–4.)',
			),
		);
		// Nothing is left in the queue, and nothing goes out once there is room.
		const status = await bench.run([{}], getStatus);
		expect(status.json(NODE).map(({ queued }) => queued)).toEqual([0, 0, 0, 0, 0, 0]);
		await after(610_000);
		expect(bench.sandbox.journal.count()).toBe(3);
	},
);

test.each([
	['Get Status', getStatus, 1],
	['a dry run', send({ dryRun: true }), 2],
])('a stop ends the wait of %s for Redis at once', async (_, parameters, redisPort) => {
	Object.assign(bench.credential, { limitStore: 'redis', redisHost: '127.0.0.1', redisPort });
	const startedAt = performance.now();
	const hasBegun = () => performance.now() - startedAt > 1_000;
	const { run, ms } = await bench.stoppedWhen(hasBegun, itemsOf(1), parameters);
	expect(run.status).toBe('canceled');
	expect(ms).toBeLessThan(5_000);
});

describe('the error of a stopped run with continue on error', () => {
	const lost: FaultAction = { type: 'hangUpAfterActing' };
	const refused: FaultAction = { type: 'status', status: 400 };
	const oneEach = deleteMany({ batchSize: 1 });

	interface Row {
		name: string;
		parameters: INode['parameters'];
		settings?: object;
		/** How many requests wait when the run is stopped. */
		waiting: number;
		/** Of the first two requests. */
		faults: FaultAction[];
		lists: string;
	}

	/** Three requests go out, the first two fail, and the run is stopped while the next ones wait. */
	test.each<Row>([
		{
			name: 'sends',
			parameters: send(),
			waiting: 1,
			faults: [lost, refused],
			lists: 'Sent: item 2. Perhaps sent: item 0. Not sent: items 1, 3. Not tried: items 4–8.',
		},
		{
			// The second attempt ends at its first item, which it does not send again.
			name: 'sends with Retry On Fail',
			parameters: send(),
			settings: RETRY_ON_FAIL,
			waiting: 1,
			faults: [lost, lost],
			lists: 'Sent: item 2. Perhaps sent: items 0–1. Not tried: items 3–8.',
		},
		{
			name: 'deletions',
			parameters: oneEach,
			waiting: 3,
			faults: [lost, refused],
			lists:
				'Deleted: item 2. Perhaps deleted: item 0. Not deleted: items 1, 3–5. Not tried: items 6–8.',
		},
		{
			// The second attempt ends at its first batch.
			name: 'deletions with Retry On Fail',
			parameters: oneEach,
			settings: RETRY_ON_FAIL,
			waiting: 3,
			faults: [refused, lost],
			lists: 'Deleted: item 2. Perhaps deleted: item 1. Not deleted: item 0. Not tried: items 3–8.',
		},
	])('lists its $name', async ({ parameters, settings, waiting, faults, lists }) => {
		bench.limitTo(3, 60);
		for (const action of faults) bench.sandbox.fault({ action });
		const areWaiting = async () => {
			if (bench.sandbox.journal.count() !== 3) return false;
			const look = await bench.run([{}], getStatus);
			return look.json(NODE).some(({ queued }) => queued === waiting);
		};
		const all = { ...settings, ...CONTINUE_ON_ERROR };
		const result = await bench.stoppedWhen(areWaiting, itemsOf(9), parameters, all);
		const error = result.task(NODE).error as unknown as ShownError;
		expect(error.message).toContain('canceled');
		expectLists(error, lists);
		expect(error.context.outcome).toBe('unknown');
	});
});
