/** The ledger in Redis, for n8n in queue mode: one command to take slots, one to settle them. */
import { KEY_PREFIX, type RedisConnection, type RedisError } from '../../redis';
import type {
	Ledger,
	LedgerPromise,
	LedgerRequest,
	LedgerUse,
	LedgerWindow,
	SharedRequest,
} from '../ledger';
import { ofProcess } from './processRecord';
import { PROMISE, WITHDRAW } from './promiseScripts';
import { RedisRequest } from './redisRequest';
import { USE } from './scripts';

export class RedisLedger implements Ledger {
	constructor(private readonly connection: RedisConnection) {}

	request(request: LedgerRequest): SharedRequest {
		const record = ofProcess(this.connection, request.identity);
		return new RedisRequest(this.connection, record, request);
	}

	async promise(promise: LedgerPromise): Promise<number> {
		const { identity, scope, general, name, count, localMs, maxWaitMs } = promise;
		const key = keyOf(identity);
		const own = scope ?? general;
		const windows = [...(scope?.windows ?? []), ...general.windows];
		const keys = [
			key('state', ''),
			key('queue', general.name),
			key('queue', own.name),
			key('promises', own.name),
			...windows.map((window) => key('window', window.name)),
		];
		const parameters = [
			...['', '', 0, 0, Math.ceil(localMs), scope?.windows.length ?? 0, 0, 0],
			...windows.flatMap(({ room, holdMs }) => [room, Math.ceil(holdMs)]),
			...[name, count, Math.min(maxWaitMs, Number.MAX_SAFE_INTEGER)],
		];
		return await this.connection.run<number>(PROMISE, keys, parameters);
	}

	async withdraw(identity: string, scope: string, name: string): Promise<void> {
		await this.connection.run(WITHDRAW, [keyOf(identity)('promises', scope)], [name]);
	}

	async use(identity: string, windows: LedgerWindow[]): Promise<LedgerUse[]> {
		const key = keyOf(identity);
		const queue = key('queue', '');
		const keys = [
			key('state', ''),
			queue,
			queue,
			queue,
			...windows.map(({ name }) => key('window', name)),
		];
		const ofWindows = windows.flatMap(({ room, holdMs }) => [room, Math.ceil(holdMs)]);
		const parameters = ['', '', 0, 0, 0, 0, 0, 0, ...ofWindows];
		const figures = await this.connection.run<number[]>(USE, keys, parameters);
		return windows.map((_, index) => ({
			used: figures[2 * index] ?? 0,
			availableInMs: figures[2 * index + 1] ?? 0,
		}));
	}

	trouble(): RedisError | undefined {
		return this.connection.trouble();
	}
}

/** All keys of an identity share a hash tag, so that a cluster keeps them in one place. */
export function keyOf(identity: string): (kind: string, name: string) => string {
	return (kind, name) => `${KEY_PREFIX}:{${identity}}:${kind}:${name}`;
}
