// What a trigger remembers belongs to its node, whatever that is called, and to the business, whatever its key is.
import { emittedBy, NEW_YEAR, scheduledTrigger } from './pollSchedule';
import type { RealN8n } from './realN8n';
import { node } from './workflows';

const NAME = 'Contacts';
const LIMITS = { general: [{ max: 1_000, windowSeconds: 1 }], endpoints: {} };
const NEW_KEY = 'd'.repeat(64);
const KEY_BEGINS = 'node:businessDataTrigger:';

export function triggerIdentityTests(real: () => RealN8n): void {
	test('renamed, replaced and brought back, and with a new key: it misses and repeats nothing', async () => {
		const { sandbox, client } = real();
		sandbox.reset();
		const credential = 'Of a business';
		const businessDataApi = await real().saveCredentialFor(credential, sandbox, LIMITS);
		let executions = 0;
		let workflowId = '';
		/** What is told when the workflow is published with this trigger, by an execution of its own. */
		const publish = async (id: string, name = NAME, otherId?: string) => {
			const trigger = (title: string) =>
				scheduledTrigger(title, { pollTimes: { item: [NEW_YEAR] }, events: ['contactCreated'] });
			const others = otherId === undefined ? [] : [{ ...trigger('Other'), id: otherId }];
			const done = node('Done', 'n8n-nodes-base.noOp', 1);
			const workflow = await real().save(
				{
					name: 'Known by its ID',
					nodes: [{ ...trigger(name), id }, ...others, done],
					connections: { [name]: { main: [[{ node: 'Done', type: 'main', index: 0 }]] } },
					settings: { executionOrder: 'v1' },
				},
				{ businessDataApi },
			);
			workflowId = workflow.id;
			await client.publishWorkflow(workflowId);
			const reported = await emittedBy(real(), workflow.id, name);
			const ids = reported
				.slice(executions)
				.flatMap((events) => events.map(({ contact }) => contact));
			executions = reported.length;
			return (ids as { id: string }[]).map((contact) => contact.id);
		};
		/** The triggers of which n8n's database has something. */
		const remembered = () => {
			const query = `SELECT staticData FROM workflow_entity WHERE id = '${workflowId}'`;
			const [row] = real().readDatabase(query) as { staticData: string }[];
			const all = JSON.parse(row?.staticData ?? '{}') as Record<string, object>;
			const own = Object.keys(all).filter((key) => key.startsWith(KEY_BEGINS));
			return own.map((key) => key.slice(KEY_BEGINS.length));
		};

		expect(await publish('first')).toEqual([]);
		sandbox.contacts.add({ id: 'a' });
		expect(await publish('first', 'Renamed')).toEqual(['a']);
		sandbox.contacts.add({ id: 'b' });
		expect(await publish('first')).toEqual(['b']);
		// Another one of its name.
		sandbox.contacts.add({ id: 'c' });
		expect(await publish('second')).toEqual([]);
		// As an older version of the workflow has it.
		sandbox.contacts.add({ id: 'd' });
		expect(await publish('first')).toEqual(['c', 'd']);

		sandbox.setKeyState(NEW_KEY, 'active');
		sandbox.setKeyState(sandbox.apiKey, 'deleted');
		try {
			const data = { baseUrl: sandbox.baseUrl, apiKey: NEW_KEY };
			await real().saveCredentialFor(credential, data, LIMITS);
			sandbox.contacts.add({ id: 'e' });
			expect(await publish('first', 'With a new key')).toEqual(['e']);

			// One beside it is deleted again.
			await publish('first', 'Beside another', 'third');
			expect(await publish('first', 'Alone')).toEqual([]);
			expect(remembered()).toEqual(['first', 'second', 'third']);
		} finally {
			await client.unpublishWorkflow(workflowId);
			sandbox.setKeyState(sandbox.apiKey, 'active');
		}
	});
}
