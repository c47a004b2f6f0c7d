/** The ledger in Redis, for n8n in queue mode: one command to take slots, one to settle them. */
import type { RedisConnection } from '../../redis/connection';
import { KEY_PREFIX } from '../../redis/keyPrefix';
import type { RedisError } from '../../redis/redisError';
import type { Ledger, LedgerReply, LedgerRequest, LedgerUse, LedgerWindow } from '../ledger';
import { SETTLE, TAKE, USE } from './scripts';

export class RedisLedger implements Ledger {
	constructor(private readonly connection: RedisConnection) {}

	async take(request: LedgerRequest, signal: AbortSignal): Promise<LedgerReply> {
		const windows = [...request.scopeWindows, ...request.generalWindows];
		if (windows.length === 0) return { isTaken: true };
		const keys = keysOf(request);
		const parameters = parametersOf(request, request.inFlightMs);
		const [isTaken, waitMs = 0, retryMs = 0, fullest = 1] = await this.connection.run<number[]>(
			TAKE,
			keys,
			parameters,
			signal,
		);
		const window = windows[fullest - 1];
		if (isTaken === 1 || window === undefined) return { isTaken: true };
		const isOfScope = fullest <= request.scopeWindows.length;
		return { isTaken: false, window, isOfScope, waitMs, retryMs };
	}

	hold(request: LedgerRequest, lateMs: number): void {
		this.settle(request, lateMs);
	}

	free(request: LedgerRequest): void {
		this.settle(request, -1);
	}

	async use(identity: string, windows: LedgerWindow[]): Promise<LedgerUse[]> {
		const request = {
			id: '',
			identity,
			scope: undefined,
			scopeWindows: [],
			generalWindows: windows,
			inFlightMs: 0,
		};
		const keys = keysOf(request);
		const figures = await this.connection.run<number[]>(USE, keys, parametersOf(request, 0));
		return windows.map((_, index) => ({
			used: figures[2 * index] ?? 0,
			availableInMs: figures[2 * index + 1] ?? 0,
		}));
	}

	trouble(): RedisError | undefined {
		return this.connection.trouble();
	}

	private settle(request: LedgerRequest, lateMs: number): void {
		const keys = keysOf(request);
		const parameters = parametersOf(request, lateMs);
		this.connection
			.run(SETTLE, keys, parameters)
			// Not settled, the slots come free by themselves, after the window and the time-out.
			.catch(() => undefined);
	}
}

/** All keys of an identity share a hash tag, so that a cluster keeps them in one place. */
function keysOf(request: LedgerRequest): string[] {
	const key = (kind: string, name: string) => `${KEY_PREFIX}:{${request.identity}}:${kind}:${name}`;
	const windows = [...request.scopeWindows, ...request.generalWindows];
	return [
		key('queue', 'general'),
		key('queue', request.scope ?? 'general'),
		...windows.map(({ name }) => key('window', name)),
	];
}

function parametersOf(request: LedgerRequest, number: number): Array<string | number> {
	const windows = [...request.scopeWindows, ...request.generalWindows];
	return [
		request.id,
		Math.ceil(number),
		request.scopeWindows.length,
		...windows.flatMap(({ max, holdMs }) => [max, Math.ceil(holdMs)]),
	];
}
