// Several triggers in one workflow: n8n saves what they remember together, and leaves those as they are that
// an edit has not changed. Each must find its own memory again.
import { emittedBy, Polls, saveScheduled, scheduledTrigger, TRIGGER } from './pollSchedule';
import type { RealN8n } from './realN8n';

const CONTACTS = 'GET /masterdata/getContacts';
const NAME = 'Two triggers';
const ADDED = 'News';
const MINUTES = 10;

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
}
