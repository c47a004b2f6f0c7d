/** The ledger in Redis, for n8n in queue mode: one command to take slots, one to settle them. */
import { randomUUID } from 'node:crypto';

import type { RedisConnection } from '../../redis/connection';
import { KEY_PREFIX } from '../../redis/keyPrefix';
import type { RedisError } from '../../redis/redisError';
import type {
	Ledger,
	LedgerReply,
	LedgerRequest,
	LedgerUse,
	LedgerWindow,
	SharedRequest,
} from '../ledger';
import { SETTLE, TAKE, USE } from './scripts';

const PROCESS_ID = randomUUID();
let lastRequest = 0;

export class RedisLedger implements Ledger {
	constructor(private readonly connection: RedisConnection) {}

	request(request: LedgerRequest): SharedRequest {
		return new RedisRequest(this.connection, request);
	}

	async use(identity: string, windows: LedgerWindow[]): Promise<LedgerUse[]> {
		const request = { identity, scope: undefined, scopeWindows: [], generalWindows: windows };
		const parameters = parametersOf(request, '', 0);
		const figures = await this.connection.run<number[]>(USE, keysOf(request), parameters);
		return windows.map((_, index) => ({
			used: figures[2 * index] ?? 0,
			availableInMs: figures[2 * index + 1] ?? 0,
		}));
	}

	trouble(): RedisError | undefined {
		return this.connection.trouble();
	}
}

class RedisRequest implements SharedRequest {
	/** Unique over all processes; undefined when Redis knows nothing of the request. */
	private id: string | undefined;

	constructor(
		private readonly connection: RedisConnection,
		private readonly request: LedgerRequest,
	) {}

	async take(signal: AbortSignal): Promise<LedgerReply> {
		const { scopeWindows, generalWindows, inFlightMs } = this.request;
		const windows = [...scopeWindows, ...generalWindows];
		if (windows.length === 0) return { isTaken: true };
		this.id ??= `${PROCESS_ID}:${++lastRequest}`;
		const parameters = parametersOf(this.request, this.id, inFlightMs);
		const [isTaken, waitMs = 0, retryMs = 0, fullest = 1] = await this.connection.run<number[]>(
			TAKE,
			keysOf(this.request),
			parameters,
			signal,
		);
		const window = windows[fullest - 1];
		if (isTaken === 1 || window === undefined) return { isTaken: true };
		return { isTaken: false, window, isOfScope: fullest <= scopeWindows.length, waitMs, retryMs };
	}

	hold(lateMs: number): void {
		this.settle(lateMs);
	}

	free(): void {
		this.settle(-1);
		// Repeated after a lost connection, it may come late: what is taken from now on gets another ID, so
		// that it is not freed by it.
		this.id = undefined;
	}

	private settle(lateMs: number): void {
		if (this.id === undefined) return;
		this.connection
			.run(SETTLE, keysOf(this.request), parametersOf(this.request, this.id, lateMs))
			// Not settled, the slots come free by themselves, after the window and the time-out.
			.catch(() => undefined);
	}
}

type Windows = Omit<LedgerRequest, 'inFlightMs'>;

/** All keys of an identity share a hash tag, so that a cluster keeps them in one place. */
function keysOf(request: Windows): string[] {
	const key = (kind: string, name: string) => `${KEY_PREFIX}:{${request.identity}}:${kind}:${name}`;
	const windows = [...request.scopeWindows, ...request.generalWindows];
	return [
		key('queue', 'general'),
		key('queue', request.scope ?? 'general'),
		...windows.map(({ name }) => key('window', name)),
	];
}

function parametersOf(request: Windows, id: string, number: number): Array<string | number> {
	const windows = [...request.scopeWindows, ...request.generalWindows];
	return [
		id,
		Math.ceil(number),
		request.scopeWindows.length,
		...windows.flatMap(({ max, holdMs }) => [max, Math.ceil(holdMs)]),
	];
}
