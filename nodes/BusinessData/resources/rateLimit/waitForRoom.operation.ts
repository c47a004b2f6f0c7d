/**
 * Rate Limit → Wait for Room. A long wait is handed to n8n, which parks the execution. When it wakes, n8n does not run
 * the node again, but passes its input on.
 */
import { randomUUID } from 'node:crypto';

import type { INodeExecutionData } from 'n8n-workflow';

import { refuseSubWorkflowResults } from '../../n8nInternals/subWorkflows';
import { limiterOf, limitsOfEndpoint, WaitTooLongError } from '../../rateLimit';
import { canonicalEndpoint } from '../../transport/endpointPath';
import { ENDPOINTS, SEND_ENDPOINTS, SEND_NAMES } from '../../transport/endpoints';
import { roomTooLateError } from '../../transport/errorTexts';
import { formatDuration, pluralize } from '../../values/text';
import { readChoice, readSeconds, readWholeNumber } from '../../values/settingValues';
import { NOTICEABLE_WAIT_MS } from '../../transport/runWaitTime';
import { abortable, LONGEST_TIMER_MS, sleep } from '../../async';
import type { Operation } from '../../operations/operation';
import { sendChoices } from '../../operations/send';
import { reportDuring, timeAfter } from '../../run/progress';
import { maxWaitField, readMaxWaitMs } from '../../parameters/requestOptions';
import type { Run } from '../../run/run';
import { whyNotParked } from './parking';

/** n8n looks for executions to wake once a minute. */
const PARK_AFTER_SECONDS = 65;

export const waitForRoom: Operation = {
	option: {
		name: 'Wait for Room',
		value: 'waitForRoom',
		action: 'Wait for room in rate limit',
		description:
			'Wait until the limits have room for a number of requests, without occupying a worker for long, and pass the input on',
		builderHint: {
			propertyHint: `Only for long sends that must outlive a restart of n8n: Loop Over Items (batchSize ${ENDPOINTS.sendTransaction.limit.max}, as many as the limit allows at once) → Wait for Room (requests: expr('{{ $input.all().length }}')) → the send with sendOnceKey → back to the loop. It passes its items on unchanged. Other sends wait by themselves.`,
		},
	},
	fields: [
		{
			displayName: 'Limit Of',
			name: 'limitOf',
			type: 'options',
			default: 'transaction:send',
			description: 'Which requests need room. It is read once, from the first item.',
			options: sendChoices({
				name: 'Any Request',
				value: 'general',
				description: 'The limits of all requests',
			}),
		},
		{
			displayName: 'Requests',
			name: 'requests',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 1,
			description:
				'How many requests must have room at once, for example {{ $input.all().length }} for one per input item. It is read once, from the first item, and can be at most what the limit allows.',
		},
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: [
				maxWaitField,
				{
					displayName: 'Park After',
					name: 'parkAfter',
					type: 'number',
					typeOptions: { minValue: 0 },
					default: PARK_AFTER_SECONDS,
					description:
						'Waits longer than this number of seconds are handed over to n8n, which occupies no worker meanwhile and resumes even after a restart. With less than 65, an execution may resume up to a minute late.',
				},
			],
		},
	],
	execute: async (run) => {
		await waitOrPark(run);
		return run.items.map((item, index): INodeExecutionData => ({
			...item,
			pairedItem: { item: index },
		}));
	},
};

/** @throws RequestError if the wait would be too long, RedisError, or the signal's reason */
async function waitOrPark(run: Run): Promise<void> {
	const { requests, endpoint, maxWaitMs, parkAfterMs } = readSettings(run);
	const { identity, limits, limitStore } = run.account;
	const common = { holder: ticketHolder(run), limits, endpoint, limitStore };
	const issueTickets = async (count: number, withinMs: number) =>
		await limiterOf(identity).issueTickets({ ...common, count, maxWaitMs: withinMs });
	const obstacle = whyNotParked(run);
	const startedAt = performance.now();
	try {
		for (;;) {
			const waitedMs = performance.now() - startedAt;
			const issuing = issueTickets(requests, Math.max(0, maxWaitMs - waitedMs));
			const waitMs = await abortable(issuing, run.signal);
			if (waitMs === 0) {
				if (waitedMs >= NOTICEABLE_WAIT_MS)
					run.hint(`Waited ${formatDuration(waitedMs)} for room.`);
				return;
			}
			const isLong = waitMs > parkAfterMs;
			if (isLong && obstacle === undefined) return await park(run, waitMs, requests);
			if (isLong) run.report(`waits ${formatDuration(waitMs)} in the node, because ${obstacle}`);
			await waitInNode(run, Math.min(waitMs, LONGEST_TIMER_MS), requests);
		}
	} catch (error) {
		// Withdraws the tickets. If this fails, they lapse.
		issueTickets(0, Infinity).catch(() => undefined);
		throw error instanceof WaitTooLongError ? roomTooLateError(requests, maxWaitMs, error) : error;
	}
}

async function waitInNode(run: Run, waitMs: number, requests: number): Promise<void> {
	const endsAt = performance.now() + waitMs;
	const describe = () => {
		const leftMs = Math.max(0, endsAt - performance.now());
		return `waits for room for ${pluralize(requests, 'request')}, goes on in ${formatDuration(leftMs)}, about ${timeAfter(run, leftMs)}`;
	};
	await reportDuring(run, describe, async () => await sleep(waitMs, run.signal));
}

async function park(run: Run, waitMs: number, requests: number): Promise<void> {
	run.report(
		`n8n goes on about ${timeAfter(run, waitMs)}, when there is room for ${pluralize(requests, 'request')}`,
	);
	refuseSubWorkflowResults(run.context);
	await run.context.putExecutionToWait(new Date(Date.now() + Math.ceil(waitMs)));
}

/** @throws InvalidSettingError */
function readSettings(run: Run) {
	const limitOf = run.parameter('limitOf', 0, 'transaction:send');
	const name = readChoice('Limit Of', limitOf, ['general', ...SEND_NAMES]);
	const endpoint = name === 'general' ? undefined : canonicalEndpoint(SEND_ENDPOINTS[name]);
	const { limits } = run.account;
	const ofEndpoint = limitsOfEndpoint(limits, endpoint);
	const own = ofEndpoint.length === 0 ? limits.general : ofEndpoint;
	// Only the longest window must have room for all of them at once.
	const [longest] = [...own].sort((a, b) => b.windowMs - a.windowMs);
	const bounds = { least: 1, most: longest?.max };
	const help = 'The limit never has room for more at once: send the items in smaller groups.';
	const requests = readWholeNumber('Requests', run.parameter('requests', 0, 1), bounds, help);
	const options = run.options(0);
	const { parkAfter = PARK_AFTER_SECONDS } = options;
	const parkAfterMs = readSeconds('Park After', parkAfter) * 1000;
	return { requests, endpoint, maxWaitMs: readMaxWaitMs(options, run.isTool), parkAfterMs };
}

/** The same in every turn of a loop, so that unused tickets are replaced. */
function ticketHolder({ context, isTool }: Run): string {
	// An agent may make several calls at once.
	if (isTool) return randomUUID();
	const { id: nodeId } = context.getNode();
	return JSON.stringify([context.getWorkflow().id, context.getExecutionId(), nodeId]);
}
