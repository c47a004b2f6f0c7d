// Writes to n8n's own database fail while keyed documents are being sent: each document that was sent is recorded,
// each of the others can still be sent, and nothing goes out twice.
import {
	CONTINUE_ON_ERROR,
	ONCE,
	READ_ENDPOINT,
	SEND_ENDPOINT,
	sentDocument,
} from '../support/parameters';
import { waitUntil } from '../support/waitUntil';
import { itemsOf, type RealN8n } from './realN8n';
import {
	BUSINESS_DATA,
	inARow,
	node,
	SEND,
	send,
	sentBy,
	startWith,
	startWithWebhook,
} from './workflows';

const IDS = ['a', 'b', 'c', 'd'];
const DOCUMENTS = IDS.map((id) => ({ id }));
const failure = {
	error: expect.stringContaining("Send Once Key: n8n's deduplication store failed") as string,
};

/** @param disturb makes the database fail; returns the function that repairs it */
export function databaseTests(
	real: () => RealN8n,
	name: string,
	disturb: () => Promise<() => Promise<void>>,
): void {
	test(`with ${name}, each document goes out once and its state is known`, async () => {
		const { client, sandbox } = real();
		const path = name.replaceAll(' ', '-');
		const read = {
			url: sandbox.baseUrl + READ_ENDPOINT.split(' ')[1],
			sendHeaders: true,
			headerParameters: { parameters: [{ name: 'x-api-key', value: sandbox.apiKey }] },
		};
		const workflow = await real().publish(
			inARow(name, [
				...startWithWebhook(path),
				send(ONCE, CONTINUE_ON_ERROR),
				// Keeps the execution open until the database works again.
				node('Later', 'n8n-nodes-base.httpRequest', 4.2, read, { executeOnce: true }),
			]),
		);
		const asking = await real().save(
			inARow(`${name}: states`, [
				...startWith(DOCUMENTS),
				node('State', BUSINESS_DATA, 1, sentDocument('get', { workflowId: workflow.id })),
			]),
		);
		const states = async () => {
			const result = await client.runWorkflow(asking, 'Start');
			return itemsOf(result, 'State').map((item) => (item as { state?: string }).state);
		};
		const sent = () => sentBy<{ id: string }>(sandbox).map(({ id }) => id);

		// The first document is in flight, and its end must be recorded; the others have not been looked up yet.
		sandbox.fault({ endpoint: SEND_ENDPOINT, action: { type: 'hold' } });
		await real().callWebhook(path, { documents: DOCUMENTS });
		await waitUntil(() => sandbox.journal.count(SEND_ENDPOINT) === 1);
		const repair = await disturb();
		sandbox.clearFaults();
		sandbox.fault({ endpoint: READ_ENDPOINT, action: { type: 'hold' } });
		await waitUntil(() => sandbox.journal.count(READ_ENDPOINT) === 1);
		await repair();
		sandbox.clearFaults();
		const result = await real().resultOfExecution(1, workflow.id);
		const reported = itemsOf(result, SEND) as Array<{ error?: string }>;
		const failed = reported.filter(({ error }) => error !== undefined);
		expect(reported).toContainEqual(failure);
		expect(failed).toEqual(failed.map(() => failure));
		expect(sent()).toEqual(IDS.filter((_, index) => reported[index]?.error === undefined));
		const expected = IDS.map((id) => (sent().includes(id) ? 'sent' : 'notSent'));
		expect(await states()).toEqual(expected);

		await real().callWebhook(path, { documents: DOCUMENTS });
		await real().resultOfExecution(2, workflow.id);
		expect(sent().sort()).toEqual(IDS);
		expect(await states()).toEqual(IDS.map(() => 'sent'));
	});
}
