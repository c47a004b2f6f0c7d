// A list that takes minutes to read under the documented limits: n8n can publish the workflow, the read goes
// on with each poll, and what happens meanwhile is told. Build the package before.
import { setTimeout as sleep } from 'node:timers/promises';

import { DOCUMENTED_LIMITS, startSandbox } from '../../sandbox/server';
import { emittedBy, saveScheduled } from '../n8n/pollSchedule';
import { useRealN8n } from '../n8n/useRealN8n';
import { report } from '../support/report';

const CONTACTS = 250;
/** n8n 2.x takes a publication for failed after that. */
const MOST_SECONDS_FOR_PUBLISHING = 84;
const MINUTES = 20;

const real = useRealN8n('n8n-2');

test(
	'a list of 250 pages, at 100 requests a minute',
	async () => {
		const sandbox = await startSandbox({ contactCount: CONTACTS, windowMode: 'both' });
		try {
			const credential = 'Business Data with documented limits';
			const id = await real().saveCredentialFor(credential, sandbox, DOCUMENTED_LIMITS);
			const workflow = await saveScheduled(
				real(),
				'A long list',
				{
					events: ['contactCreated', 'contactUpdated', 'contactDeleted'],
					options: { pagination: { values: { type: 'offset', pageSize: 1 } } },
				},
				{ businessDataApi: id },
			);
			const until = async (offset: number, times: number) => {
				const seen = () =>
					sandbox.journal.all().filter(({ query }) => query.offset === String(offset)).length;
				while (seen() < times) await sleep(200);
			};
			const startedAt = performance.now();
			const secondsSince = (from: number) => Math.round((performance.now() - from) / 1000);
			await real().client.publishWorkflow(workflow.id);
			const publishing = secondsSince(startedAt);
			expect(publishing).toBeLessThan(MOST_SECONDS_FOR_PUBLISHING);
			const pagesOfFirst = sandbox.journal.count('GET /masterdata/getContacts');
			await until(CONTACTS, 1);
			const reading = secondsSince(startedAt);

			sandbox.contacts.update('contact-100', { city: 'Ghent' });
			sandbox.contacts.remove('contact-200');
			sandbox.contacts.add({ id: 'new' });
			let reported: string[] = [];
			while (reported.length < 3) {
				await sleep(5_000);
				const emitted = (await emittedBy(real(), workflow.id)).flat();
				reported = emitted.map(
					({ event, contact }) => `${event} ${(contact as { id: string }).id}`,
				);
			}
			expect(reported).toEqual([
				'contactUpdated contact-100',
				'contactCreated new',
				'contactDeleted contact-200',
			]);
			expect(sandbox.journal.refused()).toEqual([]);
			report(
				`250 pages in n8n 2.41.1: published after ${publishing} s with ${pagesOfFirst} of them read, ` +
					`all read after ${reading} s, all changes told after ${secondsSince(startedAt)} s`,
			);
			await real().client.unpublishWorkflow(workflow.id);
		} finally {
			await sandbox.stop();
		}
	},
	MINUTES * 60_000,
);
