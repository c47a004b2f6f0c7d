// The example that sends reminders within the limits: a reminder that would wait too long goes out in a later run.
import { setTimeout as sleep } from 'node:timers/promises';

import type { SavedWorkflow } from '../../scripts/host/n8nTypes';
import { scaledLimits } from '../support/scaledLimits';
import type { RealN8n } from './realN8n';
import { useLimitedSandbox } from './useRealN8n';
import { readExample, sentBy, withOptions } from './workflows';

const ENDPOINT = 'POST /txndata/sendPayment';
/** Scales the window of ten minutes to ten seconds, and the Max Wait of a minute to one second. */
const TIME_SCALE = 1 / 60;
const LIMITS = scaledLimits(1, TIME_SCALE);

interface Later {
	paymentNumber: string;
	retryAfterSeconds: number;
	tryAgainAt: string;
}

export function reminderTests(real: () => RealN8n): void {
	const limited = useLimitedSandbox(real, 'Business Data with limits', LIMITS);
	let workflow: SavedWorkflow;

	beforeAll(async () => {
		const scaled = { 'Send the reminder': { maxWait: 60 * TIME_SCALE } };
		const example = withOptions(readExample('payment-reminders'), scaled);
		workflow = await real().save(example, limited.credentialIds);
	});

	const run = async () => await real().run(workflow, 'Start by hand');

	test('payment-reminders sends three at once, and the others when their retry time has come', async () => {
		const { sandbox } = limited;
		const before = Date.now();
		const first = await run();
		expect(first('Reminded now')).toHaveLength(3);
		expect(sandbox.journal.documents()[0]?.body).toEqual({
			paymentNumber: 'P-2026-101',
			contactId: 'contact-1',
			amount: 120,
			reminder: 1,
		});
		const later = first('Try again later') as Later[];
		expect(later.map(({ paymentNumber }) => paymentNumber)).toEqual(['P-2026-105', 'P-2026-106']);
		for (const { retryAfterSeconds, tryAgainAt } of later) {
			expect(retryAfterSeconds).toBeGreaterThan(1);
			expect(retryAfterSeconds).toBeLessThanOrEqual(12);
			const earliest = before + retryAfterSeconds * 1000;
			expect(Date.parse(tryAgainAt)).toBeGreaterThanOrEqual(earliest);
			expect(Date.parse(tryAgainAt)).toBeLessThan(earliest + 10_000);
		}
		expect(first('Needs a look')).toEqual([]);

		const tooEarly = await run();
		expect(tooEarly('Reminded before')).toHaveLength(3);
		expect(tooEarly('Try again later')).toHaveLength(2);
		expect(sandbox.journal.count(ENDPOINT)).toBe(3);

		await sleep(Math.max(0, ...later.map(({ tryAgainAt }) => Date.parse(tryAgainAt) - Date.now())));
		// A proxy responds instead of the service, with Retry-After.
		const action = { type: 'status', status: 503, headers: { 'retry-after': '1' } } as const;
		sandbox.fault({ endpoint: ENDPOINT, after: 1, action });
		const second = await run();
		expect(second('Reminded before')).toHaveLength(3);
		expect(second('Reminded now')).toHaveLength(1);
		expect(second('Try again later')).toEqual([]);
		// It may have been sent nevertheless, so no later run may send it.
		expect(second('Needs a look')).toEqual([
			{
				paymentNumber: 'P-2026-106',
				outcome: 'unknown',
				reason: expect.stringContaining('503') as string,
			},
		]);
		// One of the reminded payments has been paid in part.
		const now = JSON.stringify(workflow).replace('amount\\":120', 'amount\\":70');
		workflow = await real().client.saveWorkflow(JSON.parse(now) as SavedWorkflow);
		const third = await run();
		expect(third('Reminded before')).toHaveLength(4);
		expect(third('Needs a look')).toEqual([
			{
				paymentNumber: 'P-2026-106',
				outcome: 'perhapsSent',
				reason: expect.stringContaining('Check in the service') as string,
			},
		]);
		const sent = sentBy<{ paymentNumber: string }>(sandbox);
		expect(sent.map(({ paymentNumber }) => paymentNumber)).toEqual([
			'P-2026-101',
			'P-2026-102',
			'P-2026-104',
			'P-2026-105',
		]);
		expect(sandbox.journal.refused()).toEqual([]);
	});
}
