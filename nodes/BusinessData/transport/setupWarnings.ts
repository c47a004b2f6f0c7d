/** Warns of a wrong setup. None of this is an error: the run gets a hint, and n8n's log a line, at most once a minute. */
import type { IExecuteFunctions, IPollFunctions } from 'n8n-workflow';

import { isQueueMode } from '../n8nInternals/services';
import { limiterOf, type Limits } from '../rateLimit';
import { versionsInUse } from '../redis';
import type { Account } from './account';
import { headerText } from './response';
import { shareOf } from './limitSettings';
import { headerPolicies } from './rateLimitHeaders';
import { formatDuration } from '../values/text';

/** How often (ms) the same warning is logged. */
const LOG_INTERVAL_MS = 60_000;
/** A clock may be off by this much (ms) without harm. */
const CLOCK_TOLERANCE_MS = 60_000;

/** By the limiter of a key, until when (ms, `performance.now()`) each limit store counts requests. */
const storesOf = new WeakMap<object, Map<string, number>>();
/** The warnings that were logged lately. */
const logged = new Set<string>();

export class SetupWarnings {
	private readonly found = new Map<string, string>();

	constructor(
		private readonly context: IExecuteFunctions | IPollFunctions,
		private readonly account: Account,
	) {}

	get sentences(): string[] {
		return [...this.found.values()];
	}

	/** Call for each request that the limits count. */
	noteRequest(): void {
		const { redis } = this.account;
		if (redis === undefined && isQueueMode()) {
			this.warn(
				'process',
				'n8n runs in queue mode, but the limits of this API key are counted in each process alone. Together, the processes can exceed them. Choose Redis under Count Limits In in the credential.',
			);
		}
		// Looked up early, so that Redis has replied by the time of the response.
		if (redis !== undefined) versionsInUse(redis);
	}

	/** @param sentAt when (ms since 1970) the request went out */
	noteResponse(headers: Record<string, unknown>, sentAt: number): void {
		const { keepFree, redis } = this.account;
		// Only after a response: a Redis that cannot be reached, perhaps because of a typo, counts nothing.
		const stores = this.storesInUse(redis?.name ?? 'this n8n process');
		if (stores.length > 1) {
			this.warn(
				'stores',
				`The limits of this API key are counted in ${stores.length} places (${stores.join('; ')}). Unless these are the same Redis, requests can exceed them. Choose the same under Count Limits In in all credentials with this key.`,
			);
		}
		const versions = redis === undefined ? [] : versionsInUse(redis);
		if (versions.length > 1) {
			this.warn(
				'versions',
				`${versions.length} versions of this package use ${redis?.name} at the same time: ${versions.join(', ')}. They may count requests apart, exceed limits, and send a document twice. Install the same version on every process of n8n.`,
			);
		}
		// RFC 9110 §5.6.7. A cache adds how many seconds ago the service responded (RFC 9111 §5.1).
		const age = Number(headerText(headers, 'age')) || 0;
		const servedAt = Date.parse(headerText(headers, 'date')) + age * 1000;
		const aheadMs = sentAt - servedAt;
		const behindMs = servedAt - Date.now();
		// Without a date, both are NaN.
		if (Math.max(aheadMs, behindMs) > CLOCK_TOLERANCE_MS) {
			const off =
				aheadMs > 0 ? `${formatDuration(aheadMs)} ahead of` : `${formatDuration(behindMs)} behind`;
			this.warn(
				'clock',
				`The clock of the computer that runs n8n is ${off} the clock of the service. Check how it is synchronized.`,
			);
		}
		// The account has our share of the service's limits.
		const policy = headerPolicies(headers).find(({ max, windowSeconds }) =>
			this.allLimits.every(
				(limit) => limit.max !== shareOf(max, keepFree) || limit.windowMs !== windowSeconds * 1000,
			),
		);
		if (policy === undefined || this.found.has('policy')) return;
		this.warn(
			'policy',
			`The service says that it allows ${policy.max} requests per ${formatDuration(policy.windowSeconds * 1000)}, which is none of the limits in the credential. Compare them under Customize for This Installation.`,
		);
	}

	private get allLimits(): Limits['general'] {
		const { general, endpoints } = this.account.limits;
		return [general, ...Object.values(endpoints)].flat();
	}

	/** The names of the limit stores that count requests of the key. */
	private storesInUse(name: string): string[] {
		const limiter = limiterOf(this.account.identity);
		const stores = storesOf.get(limiter) ?? new Map<string, number>();
		storesOf.set(limiter, stores);
		const now = performance.now();
		stores.set(name, now + Math.max(...this.allLimits.map(({ windowMs }) => windowMs)));
		return [...stores].flatMap(([store, until]) => (until < now ? [] : store));
	}

	private warn(kind: string, sentence: string): void {
		this.found.set(kind, sentence);
		const name = `${this.account.identity} ${kind}`;
		if (logged.has(name)) return;
		logged.add(name);
		setTimeout(() => logged.delete(name), LOG_INTERVAL_MS).unref();
		const { context } = this;
		const nodeName = context.getNode().name;
		context.logger.warn(`${nodeName}: ${sentence}`, {
			workflowId: context.getWorkflow().id,
			nodeName,
		});
	}
}
