/** The ledger in Redis, for n8n in queue mode: one command to take slots, one to settle them. */
import { KEY_PREFIX, type RedisConnection, type RedisError } from '../../redis';
import type { Ledger, LedgerRequest, LedgerUse, LedgerWindow, SharedRequest } from '../ledger';
import { ofProcess } from './processRecord';
import { RedisRequest } from './redisRequest';
import { USE } from './scripts';

export class RedisLedger implements Ledger {
	constructor(private readonly connection: RedisConnection) {}

	request(request: LedgerRequest): SharedRequest {
		const record = ofProcess(this.connection, request.identity);
		return new RedisRequest(this.connection, record, request);
	}

	async use(identity: string, windows: LedgerWindow[]): Promise<LedgerUse[]> {
		const key = keyOf(identity);
		const queue = key('queue', '');
		const keys = [
			key('state', ''),
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
