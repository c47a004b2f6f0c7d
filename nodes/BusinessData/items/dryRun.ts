/** What a run would send, without sending it. */
import type { IDataObject } from 'n8n-workflow';

import type { SendOnce } from '../sendOnce';
import { canonicalEndpoint } from '../transport/endpointPath';
import type { Endpoint } from '../transport/endpoints';
import type { GuardedRequest } from '../parameters/sendOnceOptions';
import type { Run } from '../run/run';
import type { TaskResult } from '../run/previousAttempts';

export class DryRun {
	/** The guards of the documents that a run would have sent so far. */
	private readonly guards: SendOnce[] = [];
	/** How many requests it would have sent so far, by endpoint; under `undefined`, all of them. */
	private readonly counts = new Map<string | undefined, number>();

	constructor(private readonly run: Run) {}

	/**
	 * @param more fields of the output
	 * @throws what a run would throw before it sends the request, or RedisError
	 */
	async show(request: GuardedRequest, more: IDataObject = {}): Promise<TaskResult> {
		this.run.client.check(request);
		const { endpoint, query, encoded, guard } = request;
		const isJson = request.body !== undefined && encoded === undefined;
		// As it would go out: a date, for example, as text.
		const body = isJson ? (JSON.parse(JSON.stringify(request.body)) as object) : request.body;
		const state = (await guard?.get(this.guards)) ?? 'notSent';
		const isSkipped = state === 'sent' || state === 'perhapsSent';
		const waitMs = isSkipped
			? 0
			: Math.max(...(await Promise.all([this.add(endpoint), this.add()])));
		if (guard !== undefined && !isSkipped) this.guards.push(guard);
		const json = {
			dryRun: true,
			method: endpoint.method,
			path: endpoint.path,
			...(query.length > 0 ? { query } : {}),
			...(body === undefined ? {} : { body }),
			...(guard === undefined ? {} : { sendOnceKey: guard.document.key, state }),
			waitSeconds: Math.ceil(waitMs) / 1000,
			...more,
		};
		return { output: [{ json }], ending: 'notTried' };
	}

	/** Counts a request to the endpoint, or to any if undefined. @returns when (ms from now) it would go out */
	private async add(endpoint?: Endpoint): Promise<number> {
		const key = endpoint && canonicalEndpoint(endpoint);
		const count = (this.counts.get(key) ?? 0) + 1;
		this.counts.set(key, count);
		return (await this.run.client.estimate(endpoint, count)).lastMs;
	}
}
