// The trigger's state survives a crash of n8n, even after a poll that emitted no items, whose state n8n does not save
// by itself. A poll that the crash interrupts loses no change and reports none twice, and neither does one whose
// execution n8n would refuse.
import { setTimeout as sleep } from 'node:timers/promises';

import { READ_ENDPOINT } from '../support/parameters';
import { emittedBy, NEW_YEAR, Polls, publishScheduled, twiceAMinute } from './pollSchedule';
import type { RealN8n } from './realN8n';

/** Publishes a trigger on a service in its initial state, and waits for its first poll. */
async function publish(real: RealN8n, name: string, parameters: Record<string, unknown>) {
	const polls = new Polls(real, READ_ENDPOINT);
	const workflow = await publishScheduled(real, name, parameters);
	await polls.whenQuiet();
	return { polls, workflow };
}

export function triggerRestartTests(real: () => RealN8n): void {
	test('reports each change once on a schedule, across two crashes and a stop', async () => {
		const { sandbox } = real();
		const { polls, workflow } = await publish(real(), 'Changes across crashes', {
			events: ['contactUpdated', 'contactDeleted'],
			pollTimes: twiceAMinute(0),
		});

		// The trigger does not watch for new contacts, so this poll emits nothing.
		sandbox.contacts.add({ id: 'silent' });
		await polls.whenNextEnded();
		await real().kill();
		sandbox.contacts.update('silent', { city: 'Ghent' });
		sandbox.contacts.remove('contact-2');
		await polls.whenStartedAgain();
		// A scheduled poll may have followed already, and confirmed the deletion.
		const [first] = await emittedBy(real(), workflow.id);
		expect(first).toMatchObject([
			{ event: 'contactUpdated', contact: { id: 'silent', city: 'Ghent' } },
		]);

		// The next two polls are interrupted after their first page, one by a crash and one by a stop.
		const cutShort = async (id: string, end: () => Promise<void>) => {
			const before = await polls.whenQuiet();
			sandbox.contacts.update(id, { city: 'Bruges' });
			sandbox.fault({ after: 1, action: { type: 'delay', ms: 20_000, actFirst: true } });
			await polls.whenBegun(before + 1);
			await sleep(1_000);
			await end();
			await polls.whenStartedAgain();
		};
		await cutShort('contact-1', async () => await real().kill());
		await cutShort('contact-3', async () => await real().end());
		await polls.whenNextEnded();
		const reported = (await emittedBy(real(), workflow.id)).slice(1).flat();
		expect(reported.map(({ event, contact }) => [event, (contact as { id: string }).id])).toEqual(
			expect.arrayContaining([
				['contactUpdated', 'contact-1'],
				['contactUpdated', 'contact-3'],
				['contactDeleted', 'contact-2'],
			]),
		);
		expect(reported).toHaveLength(3);
	});

	test('reports a change once, even if n8n cannot save the state but then saves the execution', async () => {
		const { sandbox } = real();
		const { polls, workflow } = await publish(real(), 'Changes in a locked database', {
			events: ['contactUpdated'],
			pollTimes: twiceAMinute(0),
		});
		const before = await polls.whenQuiet();
		sandbox.contacts.update('contact-1', { city: 'Bruges' });
		sandbox.fault({ after: 2, action: { type: 'hold' } });
		await polls.whenBegun(before + 1);
		await sleep(1_000);
		const unlock = await real().lockDatabase();
		sandbox.clearFaults();
		// SQLite waits a second for the lock, for the state first and then for the execution.
		await sleep(1_500);
		await unlock();
		await polls.whenQuiet();
		await polls.whenNextEnded();
		await polls.whenNextEnded();
		const reported = (await emittedBy(real(), workflow.id)).flat();
		expect(reported).toMatchObject([{ event: 'contactUpdated', contact: { id: 'contact-1' } }]);
	});

	test('reports a change once, even if n8n stops during a poll or while it saves the state', async () => {
		const { sandbox } = real();
		const { polls, workflow } = await publish(real(), 'Changes over a stop', {
			events: ['contactUpdated'],
			pollTimes: { item: [NEW_YEAR] },
		});
		/** Starts n8n, and holds its poll at the second page; the first one has the change. */
		const startAndPoll = async () => {
			const before = polls.begun;
			sandbox.fault({ after: 1, action: { type: 'hold' } });
			await real().startAgain();
			await polls.whenBegun(before + 1);
		};
		await real().kill();
		sandbox.contacts.update('contact-1', { city: 'Bruges' });
		await startAndPoll();
		await real().end();
		sandbox.clearFaults();

		const endSlowness = real().slowDownStaticData();
		await startAndPoll();
		sandbox.clearFaults();
		await sleep(200);
		await real().end();
		endSlowness();

		await polls.whenStartedAgain();
		const reported = await emittedBy(real(), workflow.id);
		expect(reported).toMatchObject([
			[{ event: 'contactUpdated', contact: { id: 'contact-1', city: 'Bruges' } }],
		]);
	});

	test('reports a change found while the workflow has no access to its credential, once it has', async () => {
		const { sandbox, client, credentialId, owner } = real();
		const { polls, workflow } = await publish(real(), 'Changes after a move', {
			events: ['contactUpdated'],
			pollTimes: twiceAMinute(0),
		});
		const other = await client.addUser({ ...owner, email: 'other@example.com' });
		const reported = async () => (await emittedBy(real(), workflow.id)).flat();
		await client.moveTo(other, 'workflows', workflow.id);
		await polls.whenQuiet();
		sandbox.contacts.update('contact-1', { city: 'Bruges' });
		await polls.whenNextEnded();
		expect(await reported()).toEqual([]);

		await client.moveTo(other, 'credentials', credentialId);
		await polls.whenNextEnded();
		expect(await reported()).toMatchObject([
			{ event: 'contactUpdated', contact: { id: 'contact-1', city: 'Bruges' } },
		]);
		await client.moveTo(client, 'credentials', credentialId);
	});
}
