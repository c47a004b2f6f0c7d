// 2,500 random requests through the built node in n8n's engine, over many executions at once, some of which
// are stopped, against a service that goes wrong in every way there is.
//
// FAULTS_SEED repeats a run; FAULTS_REQUESTS makes it longer or shorter.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { report as print } from '../support/report';
import { FAULT_NAMES } from './faultKinds';
import type { Report } from './report';

const SEED = Number(process.env.FAULTS_SEED ?? Math.floor(Math.random() * 1e6));
const REQUESTS = Number(process.env.FAULTS_REQUESTS ?? 2_500);
const LONGEST_RUN_MS = 300_000;
/** What a process may hold more after the run than before: a tenth of a kilobyte per request would show. */
const HEAP_GROWTH_BYTES = 8 * 1024 * 1024;

let report: Report;

beforeAll(async () => {
	print(`Faults: FAULTS_SEED=${SEED}, ${REQUESTS} requests`);
	const child = fork(join(__dirname, 'run.ts'), [String(SEED), String(REQUESTS)], {
		execArgv: ['--expose-gc', '--import', 'tsx'],
		timeout: LONGEST_RUN_MS,
	});
	const crashed = once(child, 'exit').then(([code, signal]) => {
		throw new Error(`The run ended without a report (${String(code ?? signal)})`);
	});
	// Of no interest when the report is there.
	crashed.catch(() => undefined);
	[report] = (await Promise.race([once(child, 'message'), crashed])) as [Report];
	const { executions, requests, canceled, seconds, results, before, after } = report;
	const heap = [before, after].map(({ heapBytes }) => (heapBytes / 2 ** 20).toFixed(1)).join(' → ');
	print(
		`${requests} requests of ${executions} executions (${canceled} stopped) in ${seconds} s: ${JSON.stringify(results)}; heap ${heap} MB`,
	);
}, LONGEST_RUN_MS + 20_000);

test('every kind of fault and of result was there', () => {
	// A short run meets some of them only.
	if (REQUESTS >= 2_000) {
		expect(Object.keys(report.faults).sort()).toEqual([...FAULT_NAMES].sort());
		expect(Object.keys(report.results)).toEqual(
			expect.arrayContaining(['done', 'skipped', 'notSent', 'refused', 'unknown', 'notTried']),
		);
	}
	expect(report.canceled).toBeGreaterThan(0);
	// The others were stopped, not tried, or never reached it.
	expect(report.requests).toBeGreaterThan(REQUESTS * 0.7);
	const { done = 0 } = report.results;
	expect(done).toBeGreaterThan(REQUESTS / 2);
});

test('every item ends in one result or one clear error, which agrees with what the service did', () => {
	expect(report.contradictions).toEqual([]);
});

test('nothing is sent or deleted twice', () => {
	expect(report.actedTwice).toEqual([]);
});

test('no request exceeds a limit', () => {
	expect(report.refused).toBe(0);
});

test('a stopped execution sends nothing more', () => {
	expect(report.afterCancel).toEqual([]);
});

test('every slot is given back, and every limiter dropped', () => {
	expect(report.windowsInUse).toEqual([]);
	expect(report.after.limiters).toBe(0);
});

test('no timer, listener or connection is left', () => {
	expect(report.leftoverListeners).toEqual([]);
	expect(report.after).toMatchObject({ timers: 0, listeners: 0 });
	expect(report.after.resources).toEqual(report.before.resources);
});

test('nobody warns, and no rejection goes unhandled', () => {
	expect(report.complaints).toEqual([]);
});

test('the heap is back where it was', () => {
	const growth = report.after.heapBytes - report.before.heapBytes;
	expect(growth).toBeLessThan(HEAP_GROWTH_BYTES);
});
