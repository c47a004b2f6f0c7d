// The slots of a request in a ledger, which here only writes down what it is told.

import { abortController } from '../../../nodes/BusinessData/rateLimit/abort';
import { KeyLimiter } from '../../../nodes/BusinessData/rateLimit/keyLimiter';
import type { Ledger } from '../../../nodes/BusinessData/rateLimit/ledger';

const limits = { general: [{ max: 5, windowMs: 50 }], scopes: {} };

test('a request that gave its slots up takes others under a new ID: the message may come late', async () => {
	const limiter = new KeyLimiter('key', limits, () => undefined);
	const taken: string[] = [];
	const freed: string[] = [];
	const held: string[] = [];
	const ledger: Ledger = {
		take: async ({ id }) => {
			// A refusal of another request arrives while this one stands at the gate.
			if (taken.length === 0) limiter.pause(undefined, 20);
			taken.push(id);
			return await Promise.resolve({ isTaken: true });
		},
		hold: ({ id }) => held.push(id),
		free: ({ id }) => freed.push(id),
		use: async () => await Promise.resolve([]),
		trouble: () => undefined,
	};
	const { signal } = abortController();
	const permit = await limiter.acquire({ batch: 'run', ledger, inFlightMs: 0, signal });
	permit.letThrough();
	expect(taken).toHaveLength(2);
	expect(freed).toEqual([taken[0]]);
	expect(held).toEqual([taken[1]]);
	expect(taken[1]).not.toBe(taken[0]);
});
