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
		const waitMs = isSkipped ? 0 : await this.waitOfNext(endpoint);
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

	/** How long (ms) one more request to the endpoint would wait behind those so far, under its own and the general limits. */
	private async waitOfNext(endpoint: Endpoint): Promise<number> {
		const waits = [endpoint, undefined].map(async (limited) => {
			const key = limited && canonicalEndpoint(limited);
			const count = (this.counts.get(key) ?? 0) + 1;
			this.counts.set(key, count);
			return (await this.run.client.estimate(limited, count)).lastMs;
		});
		return Math.max(...(await Promise.all(waits)));
	}
}
