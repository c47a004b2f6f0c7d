/**
 * Measures the cost of a poll of the trigger after its first one: n8n's engine with the built trigger, and an HTTP
 * helper that responds at once.
 */
import { Readable } from 'node:stream';

import { NO_LIMITS } from '../../test/support/bench';
import type { Engine } from '../../test/support/engine';
import { credentialFor } from '../../test/support/scaledLimits';
import { ALL_EVENTS } from '../../test/support/triggerBench';
import { processorTime } from './figures';

const PAGE_SIZE = 100;

export interface PollLoad {
	requests: number;
	processorMs: number;
	/** How much n8n writes to its database after the poll (bytes): the whole static data, or nothing. */
	writtenBytes: number;
}

export interface PollParameters {
	records: number;
	/** The number of records that change before each poll. */
	changes: number[];
	isIncremental: boolean;
}

/**
 * Runs one poll for each of the changes, after a first poll.
 * @throws if a poll does not report all changes
 */
export async function loadPolls(
	engine: Engine,
	{ records: count, changes, isIncremental }: PollParameters,
): Promise<PollLoad[]> {
	const records = Array.from({ length: count }, (_, id) => ({ id: id + 1, version: 1 }));
	let changed: typeof records = [];
	let requests = 0;
	const respond = async (_: string, { url }: { url: string }) => {
		requests++;
		const { searchParams } = new URL(url);
		const from = (Number(searchParams.get('page')) - 1) * PAGE_SIZE;
		const page = (searchParams.has('since') ? changed : records).slice(from, from + PAGE_SIZE);
		const headers = { 'content-type': 'application/json', date: new Date().toUTCString() };
		const body = Readable.from([Buffer.from(JSON.stringify(page))]);
		return await Promise.resolve({ statusCode: 200, headers, body });
	};
	const options = {
		pagination: { values: { type: 'pageNumber', pageSize: PAGE_SIZE } },
		...(isIncremental ? { incremental: { values: { parameter: 'since' } } } : {}),
	};
	const key = credentialFor({ baseUrl: 'http://127.0.0.1:9', apiKey: '0'.repeat(64) }, NO_LIMITS);
	const trigger = engine.trigger({ events: ALL_EVENTS, idField: 'id', options }, { key });
	Object.assign(trigger.context.helpers, { httpRequestWithAuthentication: respond });
	await trigger.poll();
	const loads: PollLoad[] = [];
	for (const many of changes) {
		changed = records.slice(0, many);
		for (const record of changed) record.version++;
		const before = JSON.stringify(trigger.staticData);
		requests = 0;
		const startedAt = processorTime();
		const events = await trigger.poll();
		const processorMs = (processorTime() - startedAt) / 1_000;
		if (events.length !== many) throw new Error(`${events.length} of ${many} changes reported`);
		const saved = JSON.stringify(trigger.staticData);
		const writtenBytes = saved === before ? 0 : Buffer.byteLength(saved);
		loads.push({ requests, processorMs, writtenBytes });
	}
	return loads;
}
