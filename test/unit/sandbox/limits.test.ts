// The counting of section 8 in logical time: exact moments, no waiting.

import { assert, array, constantFrom, integer, property } from 'fast-check';
import { LimitCounters, type WindowMode } from '../../../sandbox/limits';

const MODES: WindowMode[] = ['sliding', 'fixed', 'both'];
const KEY = 'a key';
const SEND = 'POST /txndata/sendTxn';
const READ = 'GET /masterdata/getContacts';

function oneLimit(max: number, windowSeconds: number, windowMode: WindowMode, countRefused = true) {
	return new LimitCounters({
		limits: { general: [{ max, windowSeconds }], endpoints: {} },
		windowMode,
		timeScale: 1,
		countRefused,
	});
}

const LIMITS = {
	general: [
		{ max: 10, windowSeconds: 1 },
		{ max: 30, windowSeconds: 10 },
		{ max: 100, windowSeconds: 60 },
	],
	endpoints: {
		[SEND]: { max: 3, windowSeconds: 600 },
		'POST /txndata/sendTxnWP': { max: 5, windowSeconds: 600 },
	},
};

function counting(windowMode: WindowMode, timeScale = 1): LimitCounters {
	return new LimitCounters({
		limits: LIMITS,
		windowMode,
		timeScale,
		countRefused: true,
	});
}

describe.each(MODES)('general and endpoint limits, %s windows', (mode) => {
	it.each([
		{ name: 'general/1s', max: 10, everyMs: 0 },
		{ name: 'general/10s', max: 30, everyMs: 200 },
		{ name: 'general/60s', max: 100, everyMs: 500 },
	])('refuses the first request above $name', ({ name, max, everyMs }) => {
		const counters = counting(mode);
		// From a moment right after a boundary of every fixed window.
		const verdicts = Array.from(
			{ length: max + 1 },
			(_, index) => counters.admit(KEY, READ, 1 + index * everyMs).exceeded,
		);
		expect(verdicts.slice(0, max).flat()).toEqual([]);
		expect(verdicts[max]).toEqual([name]);
	});

	it.each([
		[SEND, 3],
		['POST /txndata/sendTxnWP', 5],
	])('refuses %s above %i in 10 minutes', (endpoint, max) => {
		const counters = counting(mode);
		for (let sent = 0; sent < max; sent += 1) {
			expect(counters.admit(KEY, endpoint, 1 + sent * 1000).exceeded).toEqual([]);
		}
		expect(counters.admit(KEY, endpoint, 599_000).exceeded).toEqual([`${endpoint}/600s`]);
		expect(counters.admit(KEY, READ, 599_000).exceeded).toEqual([]);
	});

	it('counts every key for itself', () => {
		const counters = counting(mode);
		for (let sent = 0; sent < 10; sent += 1) counters.admit(KEY, READ, 1);
		expect(counters.admit(KEY, READ, 1).exceeded).toEqual(['general/1s']);
		expect(counters.admit('another key', READ, 1).exceeded).toEqual([]);
	});

	it('counts all endpoints together in the general limits', () => {
		const counters = counting(mode);
		for (let sent = 0; sent < 5; sent += 1) counters.admit(KEY, READ, 1);
		for (let sent = 0; sent < 5; sent += 1) counters.admit(KEY, 'GET /no/such/path', 1);
		expect(counters.admit(KEY, SEND, 1).exceeded).toEqual(['general/1s']);
	});

	it('multiplies every window by the time scale', () => {
		const counters = counting(mode, 0.05);
		for (let sent = 0; sent < 3; sent += 1) counters.admit(KEY, SEND, 0);
		expect(counters.admit(KEY, SEND, 29_999).exceeded).toEqual([`${SEND}/600s`]);
		expect(counting(mode, 0.05).admit(KEY, SEND, 60_000).exceeded).toEqual([]);
	});

	it('says after which time a request would be admitted, and not earlier', () => {
		const schedule = array(integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 40 });
		assert(
			property(schedule, constantFrom(true, false), (gapsMs, countRefused) => {
				let nowMs = 0;
				const counters = oneLimit(3, 1, mode, countRefused);
				for (const gapMs of gapsMs) {
					nowMs += gapMs;
					counters.admit(KEY, READ, nowMs);
				}
				const twin = oneLimit(3, 1, mode, countRefused);
				let twinMs = 0;
				for (const gapMs of gapsMs) twin.admit(KEY, READ, (twinMs += gapMs));
				// One more, so that the verdict under test is often a refusal.
				const { exceeded, retryAfterMs } = counters.admit(KEY, READ, nowMs);
				twin.admit(KEY, READ, nowMs);
				if (exceeded.length === 0) return retryAfterMs === 0;
				const early = counters.admit(KEY, READ, nowMs + retryAfterMs - 1).exceeded.length > 0;
				return early && twin.admit(KEY, READ, nowMs + retryAfterMs).exceeded.length === 0;
			}),
			{ numRuns: 200 },
		);
	});
});

describe('sliding windows', () => {
	it('are half-open: a request exactly one window later is admitted', () => {
		const counters = oneLimit(1, 1, 'sliding', false);
		counters.admit(KEY, READ, 100);
		expect(counters.admit(KEY, READ, 1099.999).exceeded).toEqual(['general/1s']);
		expect(counters.admit(KEY, READ, 1100).exceeded).toEqual([]);
	});

	it('admit exactly those requests that a recount of the past window allows', () => {
		const schedule = array(integer({ min: 0, max: 300 }), { maxLength: 80 });
		assert(
			property(schedule, (gapsMs) => {
				const counters = oneLimit(4, 1, 'sliding', false);
				const admittedMs: number[] = [];
				let nowMs = 0;
				for (const gapMs of gapsMs) {
					nowMs += gapMs;
					const inWindow = admittedMs.filter((moment) => moment > nowMs - 1000).length;
					const isAdmitted = counters.admit(KEY, READ, nowMs).exceeded.length === 0;
					if (isAdmitted !== inWindow < 4) return false;
					if (isAdmitted) admittedMs.push(nowMs);
				}
				return true;
			}),
			{ numRuns: 200 },
		);
	});
});

describe('fixed windows', () => {
	it('admit exactly those requests that a recount in each of 8 phases allows', () => {
		const schedule = array(integer({ min: 0, max: 300 }), { maxLength: 80 });
		assert(
			property(schedule, (gapsMs) => {
				const counters = oneLimit(4, 1, 'fixed', false);
				const admittedMs: number[] = [];
				let nowMs = 0;
				for (const gapMs of gapsMs) {
					nowMs += gapMs;
					const isAllowed = [0, 125, 250, 375, 500, 625, 750, 875].every((phaseMs) => {
						const windowStartMs = Math.floor((nowMs + phaseMs) / 1000) * 1000 - phaseMs;
						return admittedMs.filter((moment) => moment >= windowStartMs).length < 4;
					});
					const isAdmitted = counters.admit(KEY, READ, nowMs).exceeded.length === 0;
					if (isAdmitted !== isAllowed) return false;
					if (isAdmitted) admittedMs.push(nowMs);
				}
				return true;
			}),
			{ numRuns: 200 },
		);
	});

	it('refuse a burst over a boundary of one phase, because another phase has it whole', () => {
		const counters = oneLimit(1, 1, 'fixed');
		counters.admit(KEY, READ, 990);
		expect(counters.admit(KEY, READ, 1010).exceeded).toEqual(['general/1s']);
	});

	it('admit what only a sliding window refuses', () => {
		// Between the two lies a boundary of every phase, yet less than a whole window.
		const verdicts = MODES.map((mode) => {
			const counters = oneLimit(1, 1, mode);
			counters.admit(KEY, READ, 60);
			return [mode, counters.admit(KEY, READ, 1010).exceeded.length];
		});
		expect(verdicts).toEqual([
			['sliding', 1],
			['fixed', 0],
			['both', 1],
		]);
	});
});

describe.each(MODES)('refused requests, %s windows', (mode) => {
	it('count too, by default in all windows that apply', () => {
		const counters = oneLimit(1, 1, mode, true);
		counters.admit(KEY, READ, 0);
		counters.admit(KEY, READ, 999);
		expect(counters.admit(KEY, READ, 1100).exceeded).toEqual(['general/1s']);
	});

	it('do not count when they are not to', () => {
		const counters = oneLimit(1, 1, mode, false);
		counters.admit(KEY, READ, 0);
		counters.admit(KEY, READ, 999);
		expect(counters.admit(KEY, READ, 1100).exceeded).toEqual([]);
	});

	it('of one limit count in the others as well', () => {
		const counters = counting(mode);
		for (let sent = 0; sent < 10; sent += 1) counters.admit(KEY, SEND, 1);
		expect(counters.admit(KEY, READ, 1).exceeded).toEqual(['general/1s']);
	});
});
