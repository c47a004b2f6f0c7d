// The limiter under a growing load: the cost of a request does not depend on the length of the queue, and memory that
// is no longer needed is freed. `npm run growth` measures more exactly.

import type { IExecuteFunctions } from 'n8n-workflow';

import { heapInUse } from '../../benchmark/growth/figures';
import {
	type Load,
	memoryOfIdleKeys,
	memoryOfQueue,
	processorTimePerRequest,
} from '../../benchmark/growth/limiterLoad';
import type { Account } from '../../nodes/BusinessData/transport/account';
import { SetupWarnings } from '../../nodes/BusinessData/transport/setupWarnings';
import { report } from '../support/report';

const QUEUES = [1, 10_000];
const ROUNDS = 4;
const REQUESTS_PER_ROUND = 100;
/** It is twice as much, for more memory, plus the noise of the machine. Visiting each queued request costs far more. */
const HIGHEST_FACTOR = 4;

const REQUESTS = 10_000;
const KEYS = 3_000;
const MEGABYTE = 2 ** 20;

// A warm-up, so that the first measurement runs compiled code too.
beforeAll(async () => {
	const load = { queued: 100, manyRuns: true, limitsBind: true, hasMaxWait: true };
	await processorTimePerRequest(load, 1, REQUESTS_PER_ROUND);
});

test.each<[string, Omit<Load, 'queued'>]>([
	['of one run', { manyRuns: false, limitsBind: true, hasMaxWait: false }],
	['of as many runs with a Max Wait', { manyRuns: true, limitsBind: true, hasMaxWait: true }],
])('a request costs little more with 10,000 queued requests %s than alone', async (name, load) => {
	const times: number[] = [];
	for (const queued of QUEUES) {
		const rounds = await processorTimePerRequest(
			{ ...load, queued },
			ROUNDS,
			REQUESTS_PER_ROUND,
			REQUESTS_PER_ROUND,
		);
		// Other load can only lengthen a round, so the shortest is the most exact.
		times.push(Math.min(...rounds));
	}
	report(`CPU per request ${name}: ${times.map((time) => `${time.toFixed(0)} µs`).join(', ')}`);
	expect(Math.max(...times)).toBeLessThan(HIGHEST_FACTOR * Math.min(...times));
});

test.each([
	['of one run', false],
	['of as many runs', true],
])(
	'the memory of 10,000 canceled requests %s is freed within their longest window',
	async (_, manyRuns) => {
		const queue = await memoryOfQueue(REQUESTS, manyRuns);
		const { before, during, after, bytesEach, freeingMs } = queue;
		report(
			`${bytesEach.toFixed(0)} bytes per queued request, gone after ${freeingMs.toFixed(0)} ms`,
		);
		expect(during - before).toBeGreaterThan(MEGABYTE);
		expect(bytesEach).toBeLessThan(12_000);
		expect(after - before).toBeLessThan(MEGABYTE);
	},
);

test('the memory of 3,000 idle API keys is freed after their longest window', async () => {
	const general = [1_000, 3_000, 9_000].map((windowMs) => ({ max: 10, windowMs }));
	const keys = await memoryOfIdleKeys(KEYS, { general, endpoints: {} });
	report(`${keys.bytesEach.toFixed(0)} bytes per key`);
	expect(keys.keptDuring).toBe(KEYS);
	expect(keys.bytesEach).toBeLessThan(60_000);
	expect(keys.keptAfter).toBe(0);
	expect(keys.after - keys.before).toBeLessThan(MEGABYTE);
});

test('the memory of setup warnings for 20,000 keys is freed after their longest window', async () => {
	const context = {
		getNode: () => ({ name: 'Node' }),
		getWorkflow: () => ({ id: 'workflow' }),
		logger: { warn: () => undefined },
	} as unknown as IExecuteFunctions;
	const limits = { general: [{ max: 10, windowMs: 60_000 }], endpoints: {} };
	const use = (name: string) => {
		const account = { identity: name, limits, redis: undefined, keepFree: 0 } as unknown as Account;
		const warnings = new SetupWarnings(context, account);
		warnings.noteRequest();
		// The clock of the service is far off, which causes a warning.
		warnings.noteResponse({ date: new Date(0).toUTCString() }, Date.now());
	};
	use('first');
	const before = await heapInUse();
	const ends: Array<() => void> = [];
	const setTimer = jest.spyOn(global, 'setTimeout');
	setTimer.mockImplementation((end) => ({ unref: () => ends.push(end) }) as never);
	for (let key = 0; key < 20_000; key++) use(`key-${key}`);
	setTimer.mockRestore();
	const during = await heapInUse();
	for (const end of ends.splice(0)) end();
	const after = await heapInUse();
	expect(during - before).toBeGreaterThan(MEGABYTE);
	expect(after - before).toBeLessThan(MEGABYTE);
});
