/** The progress that a run reports while it waits for the limits, in logical time. */
import { getGlobalState, setGlobalState } from 'n8n-workflow';

import { requestEach } from '../../../nodes/BusinessData/items/requestEach';
import { describeSends, reportDuring, timeAfter } from '../../../nodes/BusinessData/run/progress';
import { Run } from '../../../nodes/BusinessData/run/run';
import { ENDPOINTS, formatEndpoint } from '../../../nodes/BusinessData/transport/endpoints';
import { after, passTime } from '../../support/logicalTime';
import { fakeContext, type Setup } from './fakeContext';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The time of day at which each test begins. */
const BEGINNING = Date.UTC(2026, 0, 31, 12, 0);
const LIMITS = {
	general: [{ max: 10, windowSeconds: 1 }],
	endpoints: { [formatEndpoint(ENDPOINTS.sendTransaction)]: { max: 3, windowSeconds: 600 } },
};
const request = {
	endpoint: ENDPOINTS.sendTransaction,
	query: [],
	headers: {},
	timeoutMs: 1_000,
	maxWaitMs: Infinity,
};

beforeEach(() => {
	// Streams need the real ones.
	jest.useFakeTimers({ now: BEGINNING, doNotFake: ['nextTick', 'setImmediate'] });
});
afterEach(() => jest.useRealTimers());

/** Does `work` in a run, and returns the reports with their times (ms). */
async function reportedDuring(
	setup: Setup,
	work: (run: Run) => Promise<unknown>,
	timeZone = 'Europe/Brussels',
): Promise<Array<[ms: number, message: string]>> {
	const reported: Array<[number, string]> = [];
	const context = fakeContext({ credential: { limits: LIMITS }, ...setup });
	Object.assign(context, {
		logger: { info: (message: string) => reported.push([Date.now() - BEGINNING, message]) },
		sendMessageToUI: () => undefined,
		getTimezone: () => timeZone,
	});
	await passTime(Run.during(context, work), 2 * HOUR);
	return reported;
}

test('a run that sends reports its progress and its estimated end at least every minute', async () => {
	const items = Array.from({ length: 7 }, () => ({}));
	const toItems = async () => await Promise.resolve([]);
	const reported = await reportedDuring(
		{ items },
		async (run) => await requestEach(run, () => ({ request, toItems })),
	);
	const messages = reported.map(([, message]) => message);
	// The fourth goes out after ten minutes, the seventh ten minutes later: 13:20 in Brussels.
	expect(messages[0]).toBe('Business Data: 3 of 7 done, the next in 9 min, all about 13:20');
	expect(messages.at(-1)).toMatch(
		/^Business Data: 6 of 7 done, the next in \d+ s, all about 13:20$/,
	);
	const moments = [0, ...reported.map(([ms]) => ms)];
	for (const [index, ms] of moments.slice(1).entries()) {
		expect(ms - (moments[index] ?? 0)).toBeLessThanOrEqual(MINUTE);
	}
	expect(reported.length).toBeGreaterThan(18);
});

test('failed items count as done, and a run that reads reports its progress too', async () => {
	const setup = { items: [{}, {}, {}], continueOnFail: true };
	const slow = async () => {
		await after(2 * MINUTE);
		return [];
	};
	const [[, sends = ''] = []] = await reportedDuring(setup, async (run) => {
		return await requestEach(run, (index) => {
			if (index === 0) throw new Error('malformed');
			return { request, toItems: slow };
		});
	});
	expect(sends).toMatch(/^Business Data: 1 of 3 done, /);
	const reads = await reportedDuring(setup, async (run) => {
		const done = async () => await Promise.resolve([]);
		return await requestEach(run, (index) => ({ request, read: index < 2 ? done : slow }));
	});
	expect(reads.map(([, message]) => message)).toEqual([
		'Business Data: 2 of 3 done',
		'Business Data: 2 of 3 done',
	]);
});

test('nothing is reported in the first minute, after the end, or without an estimate', async () => {
	const reported = await reportedDuring({}, async (run) => {
		const describe = () => 'too early';
		await reportDuring(run, describe, async () => await after(50_000));
		await after(5 * MINUTE);
		const fail = async () => await Promise.reject(new Error('Redis is away'));
		await reportDuring(run, fail, async () => await after(5 * MINUTE));
	});
	expect(reported).toEqual([]);
});

test('a time on another day has its date, and an unknown time zone is replaced by that of n8n', async () => {
	await reportedDuring({ credential: {} }, async (run) => {
		expect(timeAfter(run, 8 * HOUR)).toBe('21:00');
		expect(timeAfter(run, 30 * HOUR)).toMatch(/1 Feb.*19:00/);
		expect(await describeSends(run, 1, 2, undefined)).toBe('1 of 2 done, all about 13:00');
	});
	const check = async (run: Run) =>
		await Promise.resolve(expect(timeAfter(run, 8 * HOUR)).toBe('15:00'));
	// The default of n8n is New York.
	for (const zone of ['DEFAULT', '', 'Mars/Olympus']) await reportedDuring({}, check, zone);
	// With an empty GENERIC_TIMEZONE, it is that of the computer.
	const before = getGlobalState();
	setGlobalState({ defaultTimezone: '' });
	const checkAny = async (run: Run) =>
		await Promise.resolve(expect(timeAfter(run, 0)).toMatch(/^\d\d:\d\d$/));
	await reportedDuring({}, checkAny, '');
	setGlobalState(before);
});
