/** What a run of the fault test does, made from a seed: executions, their items, and the faults they meet. */
import type { INode } from 'n8n-workflow';

import { type FaultRule, MARKER_HEADER } from '../../sandbox/server';
import { seededRandom } from '../../sandbox/random';
import {
	allowedAfter,
	type FaultKind,
	HUGE_BODIES,
	LONG_TIMEOUT,
	randomFault,
	type Result,
	SHORT_TIMEOUT,
} from './faultKinds';

/** One request that the node is asked for: an item, or a batch of a bulk deletion. */
export interface PlannedRequest {
	/** Of the document that is sent; the same in a re-run. */
	id: string;
	/** In the request's header, so that the journal tells which request it was. */
	marker: string;
	fault?: FaultKind;
	timeoutSeconds: number;
	/** What the node may report of it. */
	allowed: Result[];
}

export type Kind = 'read' | 'send' | 'echo' | 'delete';

export interface PlannedExecution {
	name: string;
	kind: Kind;
	requests: PlannedRequest[];
	items: Array<Record<string, string | number>>;
	parameters: INode['parameters'];
	settings: Partial<INode>;
	/** Which of the keys it uses; `own` is a key of its own, at an address of its own. */
	key: number | 'own';
	/** When (ms) the service can be reached at its own address. */
	reachableAfterMs?: number;
	/** When (ms) it is stopped. */
	cancelAfterMs?: number;
	rules: FaultRule[];
}

/** Keys, so that the pauses after a 429 hold up only a part of the executions. */
export const KEYS = 4;
const IDS_PER_BATCH = 5;

const FAULTY = 0.3;
const ON_ERROR = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;
const SENDS = [
	{ resource: 'transaction', operation: 'send' },
	{ resource: 'transaction', operation: 'sendWp' },
	{ resource: 'payment', operation: 'send' },
];

/** Executions with `count` requests in all, beside those of the executions that are stopped. */
export function planOf(seed: number, count: number): PlannedExecution[] {
	return new Planner(seed).plan(count);
}

class Planner {
	private readonly random: () => number;

	private readonly executions: PlannedExecution[] = [];

	/** Sends with a Send Once Key that may be run again. */
	private readonly once: PlannedExecution[] = [];

	constructor(private readonly seed: number) {
		this.random = seededRandom(seed);
	}

	plan(count: number): PlannedExecution[] {
		let planned = 0;
		while (planned < count) {
			const execution = this.execution(Math.min(count - planned, this.whole(1, 24)));
			this.executions.push(execution);
			if (execution.cancelAfterMs === undefined) planned += execution.requests.length;
		}
		this.addHugeBodies();
		return this.executions;
	}

	private execution(count: number): PlannedExecution {
		const choice = this.random();
		if (choice < 0.06) return this.behindDoor(Math.min(count, 5));
		if (choice < 0.1 && this.once.length > 0) return this.rerun(count);
		const kind = this.one<Kind>(['read', 'read', 'send', 'send', 'echo', 'delete']);
		const size = kind === 'delete' ? Math.min(count, 8) : count;
		const ids = Array.from({ length: size }, (_, index) => `${this.name()}.${index}`);
		const execution = this.executionOf(kind, ids, this.random() < 0.4 && kind !== 'delete');
		if (this.random() < 0.12) execution.cancelAfterMs = this.random() * 600;
		return execution;
	}

	private executionOf(kind: Kind, ids: string[], isOnce: boolean): PlannedExecution {
		const name = this.name();
		const isRead = kind === 'read' || (kind === 'echo' && this.random() < 0.5);
		const isRetried = this.random() < 0.12;
		const isHurried = this.random() < 0.1;
		const requests = ids.map((id, index) => {
			const fault = this.random() < FAULTY ? randomFault(this.random) : undefined;
			const marker = kind === 'delete' ? name : `${name}.${index}`;
			const timeoutSeconds = fault?.isLate === true ? SHORT_TIMEOUT : LONG_TIMEOUT;
			const allowed = allowedAfter(fault, { isRead, isRetried, isHurried });
			return { id, marker, fault, timeoutSeconds, allowed };
		});
		const options = {
			headerParameters: { parameters: [{ name: MARKER_HEADER, value: '={{ $json.marker }}' }] },
			timeout: '={{ $json.timeout }}',
			...(isHurried ? { maxWait: 0.05 } : {}),
			...(isOnce && !isRead ? { sendOnceKey: '={{ $json.id }}' } : {}),
			...(kind === 'delete' ? { batchSize: IDS_PER_BATCH } : {}),
		};
		const execution: PlannedExecution = {
			name,
			kind: isRead ? 'read' : kind,
			requests,
			items: itemsOf(kind, requests),
			parameters: { ...this.parametersOf(kind, isRead), options },
			settings: {
				onError: this.one(ON_ERROR),
				...(isRetried ? { retryOnFail: true, maxTries: 2, waitBetweenTries: 5 } : {}),
			},
			key: this.whole(0, KEYS - 1),
			rules: rulesOf(kind, requests),
		};
		if (isOnce && kind === 'send') this.once.push(execution);
		return execution;
	}

	private parametersOf(kind: Kind, isRead: boolean): INode['parameters'] {
		const dataMode = 'autoMapInputData';
		switch (kind) {
			case 'read':
				return { resource: 'contact', operation: 'getMany', limit: this.whole(1, 3) };
			case 'send':
				return { ...this.one(SENDS), dataMode };
			case 'echo': {
				const method = isRead ? 'GET' : 'POST';
				return {
					resource: 'apiRequest',
					operation: 'send',
					method,
					path: '/sandbox/echo',
					dataMode,
				};
			}
			case 'delete': {
				const resource = this.one(['contact', 'transaction']);
				return { resource, operation: 'deleteMany', ids: '={{ $json.id }}' };
			}
		}
	}

	/** The documents of an earlier execution with the same keys: each may be sent by one of the two only. */
	private rerun(count: number): PlannedExecution {
		const first = this.one(this.once);
		const ids = first.requests.slice(0, count).map(({ id }) => id);
		const again = this.executionOf('send', ids, true);
		for (const { requests } of [first, again]) {
			for (const { allowed } of requests) allowed.push('skipped');
		}
		return again;
	}

	/** Connections are refused at first, so that each request is tried again, up to four times. */
	private behindDoor(count: number): PlannedExecution {
		const kind = this.one<Kind>(['read', 'send', 'send', 'delete']);
		const ids = Array.from({ length: count }, (_, index) => `${this.name()}.${index}`);
		const execution = this.executionOf(kind, ids, false);
		for (const { allowed, fault } of execution.requests) {
			allowed.push('notSent');
			// The tries of a read that found the door closed are missing when its answer is cut off.
			if (kind === 'read' && fault !== undefined) allowed.push('unknown');
		}
		const reachableAfterMs = this.random() < 0.3 ? Infinity : this.random() * 1_000;
		return { ...execution, key: 'own', reachableAfterMs };
	}

	private addHugeBodies(): void {
		const roomy = this.executions.filter(
			({ kind, key, cancelAfterMs, settings, requests }) =>
				(kind === 'read' || kind === 'echo') &&
				key !== 'own' &&
				cancelAfterMs === undefined &&
				settings.onError !== 'stopWorkflow' &&
				requests.every(({ fault }) => fault === undefined || fault.times < Infinity),
		);
		for (const [index, kind] of [...HUGE_BODIES, ...HUGE_BODIES].entries()) {
			const execution = roomy[Math.floor((index / 4) * roomy.length)];
			const request = execution?.requests[0];
			if (execution === undefined || request === undefined) continue;
			const isRead = execution.kind === 'read';
			Object.assign(request, { fault: kind, timeoutSeconds: LONG_TIMEOUT });
			request.allowed = allowedAfter(kind, { isRead, isRetried: true, isHurried: true });
			execution.items = itemsOf(execution.kind, execution.requests);
			execution.rules = rulesOf(execution.kind, execution.requests);
		}
	}

	private name(): string {
		return `${this.seed}-${this.executions.length}`;
	}

	private whole(least: number, most: number): number {
		return least + Math.floor(this.random() * (most - least + 1));
	}

	private one<T>(choices: readonly T[]): T {
		return choices[this.whole(0, choices.length - 1)] as T;
	}
}

/** One item per request; a bulk deletion has as many IDs as fill its batches. */
function itemsOf(kind: Kind, requests: PlannedRequest[]): PlannedExecution['items'] {
	return requests.flatMap(({ id, marker, timeoutSeconds }) => {
		if (kind !== 'delete') return [{ id, marker, timeout: timeoutSeconds }];
		// All batches have the options of the first item; those that are to be late need the short time-out.
		const timeout = Math.min(...requests.map((request) => request.timeoutSeconds));
		return Array.from({ length: IDS_PER_BATCH }, (_, part) => ({
			id: `${id}.${part}`,
			marker,
			timeout: timeout === SHORT_TIMEOUT ? 0.5 : timeout,
		}));
	});
}

function rulesOf(kind: Kind, requests: PlannedRequest[]): FaultRule[] {
	if (kind !== 'delete') {
		return requests.flatMap(({ fault, marker }) =>
			fault === undefined ? [] : [{ marker, times: fault.times, action: fault.action }],
		);
	}
	// The batches of a deletion have one marker: each rule lets those pass that no earlier rule took.
	let clean = 0;
	return requests.flatMap(({ fault, marker }) => {
		if (fault === undefined) clean++;
		return fault === undefined ? [] : [{ marker, after: clean, times: 1, action: fault.action }];
	});
}
