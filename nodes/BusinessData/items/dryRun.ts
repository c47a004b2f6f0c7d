/** What a run would send, without sending it. */
import type { IDataObject } from 'n8n-workflow';

import { limiterOf } from '../rateLimit';
import type { SendOnce } from '../sendOnce';
import { canonicalEndpoint } from '../transport/endpointPath';
import type { GuardedRequest } from '../parameters/sendOnceOptions';
import type { Run } from '../run/run';
import type { TaskResult } from './previousAttempts';

export class DryRun {
	/** What a run would have sent before the next item. */
	private readonly sent: Array<{ endpoint: string; guard: SendOnce | undefined }> = [];

	constructor(private readonly run: Run) {}

	/**
	 * @param more fields of the output
	 * @throws what a run would throw before it sends the request, or RedisError
	 */
	async show(request: GuardedRequest, more: IDataObject = {}): Promise<TaskResult> {
		this.run.client.check(request);
		const { endpoint, query, encoded, guard } = request;
		const isJson = request.body !== undefined && encoded === undefined;
		// As it goes out: dates, for example, are texts then.
		const body = isJson ? (JSON.parse(JSON.stringify(request.body)) as object) : request.body;
		const guards = this.sent.flatMap((one) => one.guard ?? []);
		const state = (await guard?.get(guards)) ?? 'notSent';
		const key = canonicalEndpoint(endpoint);
		const isSkipped = state === 'sent' || state === 'perhapsSent';
		const waitMs = isSkipped ? 0 : await this.waitMs(key);
		if (!isSkipped) this.sent.push({ endpoint: key, guard });
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

	/** When (ms from now) the next request would go out, behind those before it. */
	private async waitMs(endpoint: string): Promise<number> {
		const { identity, limits, limitStore } = this.run.account;
		const limiter = limiterOf(identity);
		const own = this.sent.filter((one) => one.endpoint === endpoint).length;
		const estimates = await Promise.all([
			limiter.estimate({ limits, endpoint, limitStore }, own + 1),
			limiter.estimate({ limits, limitStore }, this.sent.length + 1),
		]);
		return Math.max(...estimates.map(({ lastMs }) => lastMs));
	}
}
