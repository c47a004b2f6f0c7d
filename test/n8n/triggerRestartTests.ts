// What the trigger remembers outlives a crash of n8n: also what a poll has seen that gave out no items, which
// n8n does not save by itself, and a poll that the crash has cut short loses and doubles nothing.
import { setTimeout as sleep } from 'node:timers/promises';

import { emittedBy, Polls, saveScheduled } from './pollSchedule';
import type { RealN8n } from './realN8n';

const CONTACTS = 'GET /masterdata/getContacts';
const MINUTES = 10;

export function triggerRestartTests(real: () => RealN8n): void {
	test(
		'on the minute schedule, across two crashes and a stop',
		async () => {
			const { sandbox, client } = real();
			sandbox.reset();
			const polls = new Polls(real(), CONTACTS);
			const events = ['contactUpdated', 'contactDeleted'];
			const workflow = await saveScheduled(real(), 'Changes across crashes', { events });
			await client.publishWorkflow(workflow.id);
			await polls.whenEnded(1);

			// Nobody asks for it, so the poll that sees it gives out nothing.
			sandbox.contacts.add({ id: 'silent' });
			await polls.whenEnded(2);
			await real().kill();
			sandbox.contacts.update('silent', { city: 'Ghent' });
			sandbox.contacts.remove('contact-2');
			await real().startAgain();
			await polls.whenEnded(3);
			expect(await emittedBy(real(), workflow.id)).toMatchObject([
				[{ event: 'contactUpdated', contact: { id: 'silent', city: 'Ghent' } }],
			]);

			// The next polls are cut short behind their first page: by a crash, and by a user.
			const cutShort = async (id: string, end: () => Promise<void>, count: number) => {
				sandbox.contacts.update(id, { city: 'Bruges' });
				sandbox.fault({ after: 1, action: { type: 'delay', ms: 20_000, actFirst: true } });
				await polls.whenBegun(count);
				await sleep(1_000);
				await end();
				await real().startAgain();
				await polls.whenEnded(count + 1);
			};
			await cutShort('contact-1', async () => await real().kill(), 4);
			await cutShort('contact-3', async () => await real().end(), 6);
			await polls.whenEnded(8);
			const told = (await emittedBy(real(), workflow.id)).slice(1).flat();
			expect(told.map(({ event, contact }) => [event, (contact as { id: string }).id])).toEqual(
				expect.arrayContaining([
					['contactUpdated', 'contact-1'],
					['contactUpdated', 'contact-3'],
					['contactDeleted', 'contact-2'],
				]),
			);
			expect(told).toHaveLength(3);
			await real().client.unpublishWorkflow(workflow.id);
		},
		MINUTES * 60_000,
	);
}
