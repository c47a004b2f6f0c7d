// The trigger published in the real n8n: over many rounds of random changes it emits each of them once.
//
// n8n polls at most once a minute, and once at each activation, with the same static data. So a round is:
// contacts change, the workflow is published and unpublished.
import { NEW_YEAR } from './pollSchedule';
import { itemsOf, type RealN8n } from './realN8n';
import { inARow, node } from './workflows';

const ROUNDS = 20;
const TRIGGER = 'Contacts';
/** Every so many rounds, the poll fails half-way at first. */
const ROUNDS_PER_FAILURE = 5;

type Contacts = RealN8n['sandbox']['contacts'];

/** Changes contacts at random. Returns the events that are due at once and with the next poll, in any order. */
function changeContacts(contacts: Contacts, round: number): { due: string[]; next: string[] } {
	const due: string[] = [];
	const next: string[] = [];
	for (const { id } of contacts.list().filter(() => Math.random() < 0.2)) {
		if (Math.random() < 0.4) {
			contacts.remove(id);
			next.push(`contactDeleted ${id}`);
		} else {
			contacts.update(id, { city: `City of round ${round}` });
			due.push(`contactUpdated ${id}`);
		}
	}
	for (let count = Math.floor(Math.random() * 4); count > 0; count--) {
		const { id } = contacts.add({ id: `round-${round}-${count}` });
		due.push(`contactCreated ${id}`);
	}
	return { due, next };
}

/** Events in two words each, such as `contactDeleted 7`. */
function inWords(events: unknown[]): string[] {
	return (events as { event: string; contact: { id: string } }[]).map(
		({ event, contact }) => `${event} ${contact.id}`,
	);
}

export function triggerTests(real: () => RealN8n): void {
	const save = async () =>
		await real().save(
			inARow('Contact events', [
				node(TRIGGER, 'n8n-nodes-business-data.businessDataTrigger', 1, {
					pollTimes: { item: [NEW_YEAR] },
					events: ['contactCreated', 'contactUpdated', 'contactDeleted'],
					idField: 'id',
					options: { pagination: { values: { type: 'offset', pageSize: 5 } } },
				}),
				node('Done', 'n8n-nodes-base.noOp', 1),
			]),
		);

	test(`${ROUNDS} rounds of random changes: none is missed, none is emitted twice`, async () => {
		const { sandbox } = real();
		sandbox.reset();
		const workflow = await save();
		await real().client.publishWorkflow(workflow.id);
		expect(await real().client.listExecutions(workflow.id)).toEqual([]);
		await real().client.unpublishWorkflow(workflow.id);

		let executions = 0;
		let changes = 0;
		let deletedBefore: string[] = [];
		for (let round = 0; round < ROUNDS; round++) {
			const { due, next } = changeContacts(sandbox.contacts, round);
			// A contact counts as deleted when it is missing twice.
			due.push(...deletedBefore);
			deletedBefore = next;
			// The second page. When an activation fails, n8n 2.x tries again by itself, and n8n 1.x leaves
			// that to the user.
			const isFailing = round % ROUNDS_PER_FAILURE === 0;
			if (isFailing) sandbox.fault({ after: 1, action: { type: 'status', status: 401 } });
			const publish = async () => await real().client.publishWorkflow(workflow.id);
			await publish().catch(async (error) => {
				if (!isFailing) throw error;
				await publish();
			});
			if (due.length > 0) {
				executions += 1;
				changes += due.length;
				expect(await eventsOfExecution(executions, workflow.id)).toEqual(due.sort());
			}
			await real().client.unpublishWorkflow(workflow.id);
		}
		expect(await real().client.listExecutions(workflow.id)).toHaveLength(executions);
		const failures = sandbox.journal.all().filter(({ status }) => status === 401);
		expect(failures).toHaveLength(ROUNDS / ROUNDS_PER_FAILURE);
		// Otherwise little has been shown.
		expect(changes).toBeGreaterThan(ROUNDS);
	}, 600_000);

	/** The events that the workflow's newest execution began with, sorted. */
	async function eventsOfExecution(count: number, workflowId: string): Promise<string[]> {
		const result = await real().resultOfExecution(count, workflowId);
		return inWords(itemsOf(result, TRIGGER)).sort();
	}
}
