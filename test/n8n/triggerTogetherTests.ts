// Several triggers in one workflow: n8n saves their states together, and an edit does not restart the triggers that
// it leaves unchanged. Each trigger must keep its own state.
import { setTimeout as sleep } from 'node:timers/promises';

import { READ_ENDPOINT } from '../support/parameters';
import {
	emittedBy,
	Polls,
	publishScheduled,
	scheduledTrigger,
	TRIGGER,
	twiceAMinute,
} from './pollSchedule';
import type { RealN8n } from './realN8n';
import { node } from './workflows';

const NAME = 'Two triggers';
const ADDED = 'News';
const SLOW_PAGE_MS = 10_000;
const CLOCK_SECONDS = 2;
/**
 * A trigger of n8n itself: whenever it emits, n8n saves the state of all triggers. It emits often, to hit any gap.
 */
const CLOCK = node('Clock', 'n8n-nodes-base.scheduleTrigger', 1.2, {
	rule: { interval: [{ field: 'seconds', secondsInterval: CLOCK_SECONDS }] },
});
const REPORTED = {
	event: 'contactUpdated',
	contact: expect.objectContaining({ id: 'contact-1', city: 'Bruges' }) as unknown,
};

export function triggerTogetherTests(real: () => RealN8n): void {
	test('keeps its state, if added to a published workflow, when the other trigger saves its own', async () => {
		const { sandbox } = real();
		const polls = new Polls(real(), READ_ENDPOINT);
		const first = { events: ['contactUpdated'], pollTimes: twiceAMinute(0) };
		const workflow = await publishScheduled(real(), NAME, first);
		const { nodes, connections, settings } = workflow;
		await real().publish({
			name: NAME,
			nodes: [
				...nodes,
				scheduledTrigger(ADDED, { events: ['contactCreated'], pollTimes: twiceAMinute(15) }),
			],
			connections: { ...connections, [ADDED]: connections[TRIGGER] },
			settings,
		});
		await polls.whenQuiet();

		sandbox.contacts.update('contact-1', { city: 'Bruges' });
		const reported = async (trigger: string) =>
			(await emittedBy(real(), workflow.id, trigger)).flat();
		while ((await reported(TRIGGER)).length === 0) await polls.whenNextEnded();
		await real().kill();
		sandbox.contacts.add({ id: 'while-n8n-was-down' });
		await polls.whenStartedAgain();

		expect(await reported(ADDED)).toMatchObject([
			{ event: 'contactCreated', contact: { id: 'while-n8n-was-down' } },
		]);
		expect(await reported(TRIGGER)).toMatchObject([{ contact: { id: 'contact-1' } }]);
	});

	test('reports a change once, even if it is edited and renamed during the poll that finds it', async () => {
		const { sandbox } = real();
		const polls = new Polls(real(), READ_ENDPOINT, SLOW_PAGE_MS);
		const publishFor = async (name: string, ...events: string[]) => {
			const trigger = scheduledTrigger(name, { events, pollTimes: twiceAMinute(0) });
			return await real().publish({
				name: 'Edited in a poll',
				nodes: [{ ...trigger, id: 'known-by-this' }, CLOCK],
				connections: {},
				settings: { executionOrder: 'v1' },
			});
		};
		const { id } = await publishFor(TRIGGER, 'contactUpdated', 'contactDeleted');
		const before = await polls.whenQuiet();
		sandbox.contacts.update('contact-1', { city: 'Bruges' });
		// By then, the first page has shown the change.
		sandbox.fault({ after: 1, action: { type: 'delay', ms: SLOW_PAGE_MS, actFirst: true } });
		await polls.whenBegun(before + 1);
		await sleep(1_000);
		await publishFor('Renamed', 'contactUpdated');
		await polls.whenQuiet();
		await polls.whenNextEnded();
		await polls.whenNextEnded();
		const reported = [TRIGGER, 'Renamed'].map(async (name) => await emittedBy(real(), id, name));
		expect((await Promise.all(reported)).flat(2)).toEqual([REPORTED]);
	});
}
