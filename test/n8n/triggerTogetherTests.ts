// Several triggers in one workflow: n8n saves what they remember together, and leaves those as they are that
// an edit has not changed. Each must find its own memory again.
import { emittedBy, Polls, saveScheduled, scheduledTrigger, TRIGGER } from './pollSchedule';
import type { RealN8n } from './realN8n';

const CONTACTS = 'GET /masterdata/getContacts';
const NAME = 'Two triggers';
const ADDED = 'News';
const MINUTES = 10;
/** n8n chooses the second of its other schedules at random, for each trigger. */
const ON_THE_MINUTE = { mode: 'custom', cronExpression: '0 * * * * *' };

export function triggerTogetherTests(real: () => RealN8n): void {
	test(
		'one added to a published workflow: what the other one saves leaves its memory as it is',
		async () => {
			const { sandbox } = real();
			sandbox.reset();
			const polls = new Polls(real(), CONTACTS);
			const first = { events: ['contactUpdated'] };
			const workflow = await saveScheduled(real(), NAME, first);
			await real().client.publishWorkflow(workflow.id);
			const { nodes, connections, settings } = workflow;
			await real().save({
				name: NAME,
				nodes: [...nodes, scheduledTrigger(ADDED, { events: ['contactCreated'] })],
				connections: { ...connections, [ADDED]: connections[TRIGGER] },
				settings,
			});
			await real().client.publishWorkflow(workflow.id);
			await polls.whenQuiet();

			sandbox.contacts.update('contact-1', { city: 'Bruges' });
			const told = async (trigger: string) =>
				(await emittedBy(real(), workflow.id, trigger)).flat();
			while ((await told(TRIGGER)).length === 0) await polls.whenNextEnded();
			await real().kill();
			sandbox.contacts.add({ id: 'while-n8n-was-down' });
			const before = polls.begun;
			await real().startAgain();
			await polls.whenEnded(before + 1);

			expect(await told(ADDED)).toMatchObject([
				{ event: 'contactCreated', contact: { id: 'while-n8n-was-down' } },
			]);
			expect(await told(TRIGGER)).toMatchObject([{ contact: { id: 'contact-1' } }]);
			await real().client.unpublishWorkflow(workflow.id);
		},
		MINUTES * 60_000,
	);

	test(
		'polling at the same moment: each finds again what it remembered',
		async () => {
			const { sandbox } = real();
			sandbox.reset();
			const polls = new Polls(real(), CONTACTS);
			const names = ['First', 'Second', 'Third', 'Fourth'];
			const { id } = await real().save({
				name: 'Four triggers',
				nodes: names.map((name) =>
					scheduledTrigger(name, {
						events: ['contactUpdated'],
						pollTimes: { item: [ON_THE_MINUTE] },
					}),
				),
				connections: {},
				settings: { executionOrder: 'v1' },
			});
			await real().client.publishWorkflow(id);
			await polls.whenQuiet();
			// Remembered, although nothing is emitted: it is not an update.
			sandbox.contacts.add({ id: 'new' });
			await polls.whenNextEnded();
			await real().kill();
			sandbox.contacts.update('new', { city: 'Bruges' });
			const before = polls.begun;
			await real().startAgain();
			await polls.whenEnded(before + 1);
			const told = await Promise.all(names.map((name) => emittedBy(real(), id, name)));
			expect(told.map((ofTrigger) => ofTrigger.flat().length)).toEqual([1, 1, 1, 1]);
			await real().client.unpublishWorkflow(id);
		},
		MINUTES * 60_000,
	);
}
