// The outbox sends each document once, even if n8n is killed while the execution is parked or sends.
import { setTimeout as sleep } from 'node:timers/promises';

import type { SavedWorkflow, Workflow } from '../../scripts/host/n8nTypes';
import { SEND_ENDPOINT } from '../support/parameters';
import { scaledLimits } from '../support/scaledLimits';
import { waitUntil } from '../support/waitUntil';
import type { RealN8n } from './realN8n';
import { useLimitedSandbox } from './useRealN8n';
import { readExample, sentBy, tableReader, withOptions } from './workflows';

const NUMBERS = [41, 42, 43, 44, 45, 46, 47].map((number) => `2026-00${number}`);
/** Ten minutes become ten seconds. */
const OUTBOX_LIMITS = scaledLimits(1, 1 / 60);
const WINDOW_OVER_MS = 11_000;
const LONGER_THAN_THE_TEST_MS = 600_000;

interface Invoice {
	invoiceNumber: string;
}

interface Row {
	invoice_number: string;
	state: string;
}

/** The time after which an execution is parked is scaled like the limits. */
const SCALED_OPTIONS = { 'Wait for room': { parkAfter: 2 } };

export function outboxTests(real: () => RealN8n): void {
	const limited = useLimitedSandbox(real, 'Business Data of the outbox', OUTBOX_LIMITS);
	let workflow: SavedWorkflow;
	let table: string;

	/** Each test has its own table. */
	const useOutbox = async (name: string) => {
		const example = JSON.stringify(withOptions(readExample('invoice-outbox'), SCALED_OPTIONS));
		const own = JSON.parse(example.replaceAll('business_data_outbox', name)) as Workflow;
		workflow = await real().save(own, limited.credentialIds);
		table = name;
	};
	const run = async (trigger: string) => await real().run(workflow, trigger);
	const sent = () => sentBy<Invoice>(limited.sandbox).map(({ invoiceNumber }) => invoiceNumber);
	const states = async () => {
		const reader = await real().save(tableReader(table));
		const rows = (await real().run(reader))('Rows') as Row[];
		return Object.fromEntries(rows.map((row) => [row.invoice_number, row.state]));
	};

	test('invoice-outbox sends each document once, even if n8n is killed while it is parked or sends', async () => {
		const { sandbox } = limited;
		await useOutbox('outbox_killed');
		await run('Start by hand');
		// A second start adds no invoice again.
		await run('Start by hand');
		expect(Object.keys(await states())).toEqual(NUMBERS);

		const first = await real().client.startWorkflow(workflow, 'Every hour');
		await real().client.waitForExecution(first, (status) => status === 'waiting');
		expect(sent()).toEqual(NUMBERS.slice(0, 3));
		await real().kill();
		// The service sends the fifth document, but does not respond.
		const action = { type: 'delay', ms: LONGER_THAN_THE_TEST_MS, actFirst: true } as const;
		sandbox.fault({ endpoint: SEND_ENDPOINT, after: 1, action });
		await real().startAgain();
		// What n8n cannot wake on startup, it tries to wake a minute later.
		await waitUntil(() => sent().length === 5);
		expect(sent()).toEqual(NUMBERS.slice(0, 5));
		await real().kill();
		await real().startAgain();

		const second = await run('Every hour');
		expect(sent()).toEqual(NUMBERS);
		// Of the next batch of three, one is recorded as sent, the response to one was lost, and one was not tried.
		expect(second('Check in the service')).toEqual(
			NUMBERS.slice(4, 5).map((invoiceNumber) => ({
				invoiceNumber,
				state: 'check',
				reason: expect.stringContaining('Check in the service') as string,
			})),
		);
		const ends = ['sent', 'sent', 'sent', 'sent', 'check', 'sent', 'sent'];
		expect(await states()).toEqual(
			Object.fromEntries(NUMBERS.map((number, index) => [number, ends[index]])),
		);
		const third = await run('Every hour');
		expect(third('Send the invoice')).toEqual([]);
		expect(sandbox.journal.refused()).toEqual([]);
	});

	test('invoice-outbox leaves to a person what was refused, may have been sent or cannot be sent', async () => {
		const { sandbox } = limited;
		sandbox.reset();
		await useOutbox('outbox_refused');
		const tooLong = 'B'.repeat(300);
		const invoices = ['B-1', 'B-2', tooLong].map((invoiceNumber, index) => ({
			invoiceNumber,
			contactId: 'contact-1',
			amount: index + 1,
		}));
		const changed = workflow.nodes.map((one) =>
			one.name === 'Invoices'
				? {
						...one,
						parameters: { mode: 'raw', jsonOutput: JSON.stringify({ invoices }), options: {} },
					}
				: one,
		);
		workflow = await real().client.saveWorkflow({ ...workflow, nodes: changed });
		await run('Start by hand');
		// Then there is room, and no reason to park.
		await sleep(WINDOW_OVER_MS);
		sandbox.fault({ endpoint: SEND_ENDPOINT, action: { type: 'hangUpAfterActing' } });
		sandbox.fault({ endpoint: SEND_ENDPOINT, action: { type: 'status', status: 400 } });
		const result = await run('Every hour');
		const noted = (invoiceNumber: string, state: string, reason: string) => ({
			invoiceNumber,
			state,
			reason: expect.stringContaining(reason) as string,
		});
		expect(result('Check in the service')).toMatchObject([
			noted('B-1', 'check', 'may have'),
			noted('B-2', 'refused', '400'),
			noted(tooLong, 'check', 'Send Once Key: '),
		]);
		expect(sent()).toEqual(['B-1']);
		expect(await states()).toEqual({ 'B-1': 'check', 'B-2': 'refused', [tooLong]: 'check' });
	});
}
