/** What a run of the fault test does, made from a seed: executions, their items, and the faults they meet. */
import type { INode } from 'n8n-workflow';

import { seededRandom } from '../../sandbox/random';
import { type FaultRule, MARKER_HEADER } from '../../sandbox/server';
import {
	type Fault,
	FAULT_NAMES,
	LONG_TIMEOUT,
	randomFault,
	type Result,
	SHORT_TIMEOUT,
} from '../support/faults';

/** One request that the node is asked for: an item, or a batch of a bulk deletion. */
export interface PlannedRequest {
	/** Of the document that is sent. */
	id: string;
	/** In the request's header, so that the journal tells which request it was. */
	marker: string;
	fault?: Fault;
	/** What the node may report of it. */
	allowed: Result[];
}

type Kind = 'read' | 'send' | 'echo' | 'delete';

export interface PlannedExecution {
	name: string;
	kind: Kind;
	requests: PlannedRequest[];
	items: Array<Record<string, string | number>>;
	parameters: INode['parameters'];
	settings: Partial<INode>;
	/** Which of the keys it uses. */
	key: number;
	/** When (ms) it is stopped. */
	cancelAfterMs?: number;
	rules: FaultRule[];
}

/**
 * Keys, so that the pauses after a 429 hold up only a part of the executions; the last two are for those that are too
 * long.
 */
export const KEYS = 6;
const IDS_PER_BATCH = 5;
const SENDS = [
	{ resource: 'transaction' },
	{ resource: 'transaction', operation: 'sendWp' },
	{ resource: 'payment' },
];
const ONCE = { sendOnceKey: '={{ $json.id }}' };
const FAULTY = 0.3;
const LONGEST_RUN_MS = 120_000;
/** Executions with `count` requests in all, beside those of the executions that are stopped. */
export function planOf(seed: number, count: number): PlannedExecution[] {
	const random = seededRandom(seed);
	const executions: PlannedExecution[] = [];
	const whole = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
	const one = <T>(choices: readonly T[]) => choices[whole(0, choices.length - 1)] as T;

	const idsOf = (count: number) =>
		Array.from({ length: count }, (_, index) => `${seed}-${executions.length}.${index}`);

	const parametersOf = (kind: Kind, isRead: boolean): INode['parameters'] => {
		const dataMode = 'autoMapInputData';
		const send = { operation: 'send', dataMode };
		if (kind === 'read') return { resource: 'contact', operation: 'getMany', limit: whole(1, 3) };
		if (kind === 'send') return { ...send, ...one(SENDS) };
		const resource = one(['contact', 'transaction']);
		if (kind === 'delete') return { resource, operation: 'deleteMany', ids: '={{ $json.id }}' };
		const method = isRead ? 'GET' : 'POST';
		return { ...send, resource: 'apiRequest', method, path: '/sandbox/echo' };
	};

	const add = (kind: Kind, ids: string[], wanted = '') => {
		const name = `${seed}-${executions.length}`;
		const isRead = kind === 'read' || (kind === 'echo' && random() < 0.5);
		const isRetried = random() < 0.12;
		const isHurried = wanted === '' && random() < 0.1;
		const requests = ids.map((id, index): PlannedRequest => {
			const isFaulty = wanted !== '' || random() < FAULTY;
			const fault = isFaulty ? randomFault(random, wanted || undefined) : undefined;
			const allowed = allowedAfter(fault, { isRead, isRetried, isHurried });
			return { id, marker: kind === 'delete' ? name : `${name}.${index}`, fault, allowed };
		});
		// After a 401, a run sends nothing more there.
		if (requests.some(({ fault }) => fault?.name === '401')) {
			for (const { allowed } of requests) allowed.push('notSent');
		}
		const options = {
			headerParameters: { parameters: [{ name: MARKER_HEADER, value: '={{ $json.marker }}' }] },
			timeout: '={{ $json.timeout }}',
			...(isHurried ? { maxWait: 1 } : {}),
			...(kind === 'send' && random() < 0.4 ? ONCE : {}),
			...(kind === 'delete' ? { batchSize: IDS_PER_BATCH } : {}),
		};
		const execution: PlannedExecution = {
			name,
			kind: isRead ? 'read' : kind,
			requests,
			items: itemsOf(kind, requests),
			parameters: { ...parametersOf(kind, isRead), options },
			settings: {
				onError: one(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput']),
				...(isRetried ? { retryOnFail: true, maxTries: 2, waitBetweenTries: 5 } : {}),
			},
			key: wanted === '429, too long' ? KEYS - (isRead ? 1 : 2) : whole(0, KEYS - 3),
			rules: rulesOf(kind, requests),
		};
		executions.push(execution);
		return execution;
	};

	const addAny = () => {
		const kind = one<Kind>(['read', 'read', 'send', 'send', 'echo', 'delete']);
		const execution = add(kind, idsOf(whole(1, kind === 'delete' ? 8 : 24)));
		if (random() < 0.12) execution.cancelAfterMs = random() * LONGEST_RUN_MS;
		return execution;
	};

	// Each kind of fault at least once.
	for (const wanted of FAULT_NAMES) {
		for (const kind of ['read', 'send'] as const) add(kind, idsOf(1), wanted);
	}
	for (let planned = executions.length; planned < count;) {
		const { requests, cancelAfterMs } = addAny();
		if (cancelAfterMs === undefined) planned += requests.length;
	}
	return executions;
}

/** What the node may report of a request that meets the fault, and of one that does not. */
function allowedAfter(
	fault: Fault | undefined,
	{ isRead, isRetried, isHurried }: { isRead: boolean; isRetried: boolean; isHurried: boolean },
): Result[] {
	const allowed = fault === undefined ? ['done' as const] : isRead ? fault.ofRead : fault.ofSend;
	return [
		...allowed,
		// Retry On Fail asks again after a refusal, and after a read that failed.
		...(isRetried && (isRead || allowed.includes('refused')) ? (['done'] as const) : []),
		// Nothing is waited for that would take too long, the next attempt of a read neither.
		...(isHurried ? (['notSent', ...(fault?.ofSend ?? [])] as const) : []),
	];
}

/** One item per request; a bulk deletion has as many IDs as fill its batches, and one timeout for all. */
function itemsOf(kind: Kind, requests: PlannedRequest[]): PlannedExecution['items'] {
	const timeoutOf = ({ fault }: PlannedRequest) =>
		fault?.isLate === true ? SHORT_TIMEOUT : LONG_TIMEOUT;
	if (kind !== 'delete') {
		return requests.map((request) => {
			const { id, marker } = request;
			return { id, marker, timeout: timeoutOf(request) };
		});
	}
	const timeout = Math.min(...requests.map(timeoutOf));
	return requests.flatMap(({ id, marker }) =>
		Array.from({ length: IDS_PER_BATCH }, (_, part) => ({ id: `${id}.${part}`, marker, timeout })),
	);
}

/** The batches of a deletion have one marker: each rule lets those pass that no earlier rule took. */
function rulesOf(kind: Kind, requests: PlannedRequest[]): FaultRule[] {
	let clean = 0;
	return requests.flatMap(({ fault, marker }) => {
		if (fault === undefined) clean++;
		if (fault === undefined) return [];
		const { action, times } = fault;
		return [kind === 'delete' ? { marker, after: clean, action } : { marker, times, action }];
	});
}
