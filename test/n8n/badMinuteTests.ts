// n8n is updated at a bad time: documents wait to be sent, and the service is down, slow or out of limits while
// triggers are published and n8n restarts. Nothing more is sent, n8n stops soon and saves what was done, and
// every trigger is active again afterwards.
import { setTimeout as sleep } from 'node:timers/promises';
import type { LimitTable } from '../../sandbox/limits';
import {
	headers,
	ONCE,
	READ_ENDPOINT,
	send as sending,
	SEND_ENDPOINT,
} from '../support/parameters';
import { waitUntil } from '../support/waitUntil';
import { emittedBy, scheduledTrigger } from './pollSchedule';
import { itemsOf, type RealN8n } from './realN8n';
import { inARow, node, SEND, send, startWithWebhook } from './workflows';

const WIDE: LimitTable = { general: [{ max: 1_000, windowSeconds: 60 }], endpoints: {} };
const ONE_SEND: LimitTable = {
	...WIDE,
	endpoints: { [SEND_ENDPOINT]: { max: 1, windowSeconds: 600 } },
};
const DOCUMENTS = Array.from({ length: 20 }, (_, index) => ({ id: `document-${index}` }));
/** A read has at most this many attempts. */
const MOST_REQUESTS = 4;
/** Longer than the two attempts that n8n 2.x allows a publication. */
const SLOW_MS = 50_000;
const PAYMENT_ENDPOINT = 'POST /txndata/sendPayment';
/** Enough for a request to begin on a busy machine. */
const TIMEOUT_SECONDS = 10;
/** How long the response takes while n8n stops: less than the grace period of a request in flight. */
const LATE_MS = 3_000;
/** What n8n logs on SIGTERM. */
const ENDING = 'Shutting down...';
const NOT_POLLED = 'Not polled; the next scheduled poll retries';

const FAULTS = {
	Down: { type: 'status', status: 503 },
	Slow: { type: 'delay', ms: SLOW_MS, actFirst: true },
	Full: { type: 'refuse', retryAfter: 'seconds', waitMs: 59_000 },
} as const;

/** @param names of the workflows, whose triggers each get the fault of that name */
export function badMinuteTests(real: () => RealN8n, names: Array<keyof typeof FAULTS>): void {
	/** Each has its own API key, because a refusal pauses all requests of a key. */
	async function credentialOf(name: string, letter: string, limits = WIDE): Promise<string> {
		const { sandbox } = real();
		const apiKey = letter.repeat(64);
		sandbox.setKeyState(apiKey, 'active');
		return await real().saveCredentialFor(name, { baseUrl: sandbox.baseUrl, apiKey }, limits);
	}

	/** Publishes a workflow with two triggers whose requests carry the name as their marker. */
	async function publish(name: string, credentialId: string, timeout: number, second: number) {
		const trigger = (title: string) =>
			scheduledTrigger(title, {
				pollTimes: { item: [{ mode: 'custom', cronExpression: `${second} * * * * *` }] },
				events: ['contactCreated'],
				options: { timeout, ...headers({ name: 'x-sandbox-marker', value: name }) },
			});
		const done = { main: [[{ node: 'Done', type: 'main', index: 0 }]] };
		const { id } = await real().publish(
			{
				name,
				nodes: [trigger('One'), trigger('Two'), node('Done', 'n8n-nodes-base.noOp', 1)],
				connections: { One: done, Two: done },
				settings: { executionOrder: 'v1' },
			},
			{ businessDataApi: credentialId },
		);
		return id;
	}

	const requestsOf = (name: string) =>
		real()
			.sandbox.journal.all()
			.filter(({ headers }) => headers['x-sandbox-marker'] === name);

	test('while the service fails, records what was sent and keeps the triggers active', async () => {
		const { sandbox } = real();
		const secondIn = (seconds: number) => new Date(Date.now() + seconds * 1000).getSeconds();
		const ids = new Map<string, string>();
		const credentials = new Map<string, string>();
		for (const [index, name] of names.entries()) {
			credentials.set(name, await credentialOf(name, '123'[index] ?? ''));
			ids.set(name, await publish(name, credentials.get(name) ?? '', 60, secondIn(-5)));
		}

		// Publish again while the service fails.
		sandbox.contacts.add({ id: 'meanwhile' });
		const addFaults = () => {
			for (const name of names) {
				sandbox.fault({ marker: name, times: Infinity, action: FAULTS[name] });
			}
		};
		addFaults();
		const before = sandbox.journal.count(READ_ENDPOINT);
		const polledBy = secondIn(names.includes('Slow') ? 85 : 50);
		await Promise.all(
			names.map(async (name) => {
				await publish(name, credentials.get(name) ?? '', 61, polledBy);
			}),
		);
		expect(sandbox.journal.count(READ_ENDPOINT) - before).toBeLessThanOrEqual(
			2 * MOST_REQUESTS * names.length,
		);
		const wrongKey = await credentialOf('Wrong key', '4');
		sandbox.setKeyState('4'.repeat(64), 'disabled');
		await expect(publish('Wrong key', wrongKey, 60, polledBy)).rejects.toThrow('401');

		// Stop n8n with sends in flight.
		const path = 'twenty-documents';
		const sends = await real().publish(
			inARow('Sends in a bad minute', [...startWithWebhook(path), send()]),
			{ businessDataApi: await credentialOf('One send', '5', ONE_SEND) },
		);
		await real().callWebhook(path, { documents: DOCUMENTS });
		await waitUntil(() => sandbox.journal.count(SEND_ENDPOINT) === 1);

		// n8n does not wait for an execution that has timed out, although its request is in flight.
		sandbox.fault({ endpoint: PAYMENT_ENDPOINT, action: { type: 'hold' } });
		const paying = { ...send(ONCE), parameters: { ...sending(ONCE), resource: 'payment' } };
		const timingOut = inARow('Times out', [...startWithWebhook('payment'), paying]);
		timingOut.settings = { executionOrder: 'v1', executionTimeout: TIMEOUT_SECONDS };
		const payments = await real().publish(timingOut);
		const pay = async () => {
			await real().callWebhook('payment', { documents: [{ id: 'payment' }] });
		};
		await pay();
		await waitUntil(() => sandbox.journal.count(PAYMENT_ENDPOINT) === 1);
		await real().resultOfExecution(1, payments.id);
		const ends = () => real().log().split(ENDING).length;
		const endsBefore = ends();
		const ended = real().end();
		await waitUntil(() => ends() > endsBefore);
		await sleep(LATE_MS);
		sandbox.clearFaults();
		addFaults();
		await ended;
		expect(sandbox.journal.count(SEND_ENDPOINT)).toBe(1);

		// Start n8n again while the service still fails.
		const requestsBefore = names.map((name) => requestsOf(name).length);
		const loggedBefore = real().log().split(NOT_POLLED).length;
		await real().startAgain();
		const logged = () => real().log().split(NOT_POLLED).length - loggedBefore;
		await waitUntil(() => logged() >= 2 * names.length);
		for (const [index, name] of names.entries()) {
			const requests = requestsOf(name).length - (requestsBefore[index] ?? 0);
			// The schedule may have polled once meanwhile.
			expect(requests).toBeLessThanOrEqual(2 * 2 * MOST_REQUESTS);
		}
		sandbox.clearFaults();

		const [execution] = await real().client.listExecutions(sends.id);
		const result = await real().client.waitForExecution(execution?.id ?? '');
		const lists = 'Sent: item 0. Not sent: item 1. Not tried: items 2–19.';
		expect(result).toMatchObject({
			status: 'error',
			error: expect.stringContaining(lists) as string,
		});
		expect(result.error).toContain('n8n is shutting down');
		expect(real().log()).toContain(
			`${SEND}: execution ${result.id} was interrupted, because n8n is shutting down. ${lists}`,
		);

		await pay();
		const paidBefore = itemsOf(await real().resultOfExecution(2, payments.id), SEND);
		expect(paidBefore).toMatchObject([{ skipped: true, state: 'sent' }]);
		expect(sandbox.journal.count(PAYMENT_ENDPOINT)).toBe(1);

		// The schedule continues.
		for (const name of names) {
			for (const trigger of ['One', 'Two']) {
				const reported = async () => (await emittedBy(real(), ids.get(name) ?? '', trigger)).flat();
				await waitUntil(async () => (await reported()).length > 0);
				expect(await reported()).toMatchObject([{ contact: { id: 'meanwhile' } }]);
			}
		}
	});
}
