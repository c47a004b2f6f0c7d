// The trigger as users have it: published once and polled on n8n's own minute schedule, while contacts and payments
// change at random times, even between two pages of a poll. A copy that applies its events must end with the records of
// the service, and no event may be false. A list that takes minutes to read is read over several polls. Build the
// package before.
import { setTimeout as sleep } from 'node:timers/promises';

import type { RecordStore, StoredRecord } from '../../sandbox/inventions/records';
import { emittedBy, Polls, publishScheduled } from '../n8n/pollSchedule';
import { useRealN8n } from '../n8n/useRealN8n';
import type { HostName } from '../../scripts/host/hosts';
import { EventCopy } from '../support/eventCopy';
import { report } from '../support/report';

const TURBULENT_POLLS = 6;
/** If reads extend over several polls, an unfinished one may have to end first. */
const QUIET_POLLS = { usual: 2, slow: 5 };
const EVENTS = ['contactCreated', 'contactUpdated', 'contactDeleted'];
const MOST_SECONDS_BETWEEN_CHANGES = 8;

/** The random deletions exceed the share that a poll reports by default. */
const options = { maxDeletionPercent: 100 };
const SOURCES = [
	{
		name: 'Contacts on schedule',
		endpoint: 'GET /masterdata/getContacts',
		parameters: { events: EVENTS, options },
	},
	{
		name: 'Payments on schedule',
		endpoint: 'GET /txndata/getPayments',
		parameters: {
			source: 'endpoint',
			path: '/txndata/getPayments',
			events: ['recordCreated', 'recordUpdated', 'recordDeleted'],
			options,
		},
	},
];

const pick = <T>(values: T[]): T | undefined => values[Math.floor(Math.random() * values.length)];
const byId = (store: RecordStore<StoredRecord>) =>
	new Map(store.list().map((record) => [record.id, record]));

/** Creates, updates or deletes a record. */
function change(store: RecordStore<StoredRecord>): void {
	const id = pick(store.list())?.id;
	const kind = pick(['create', 'update', 'delete']);
	if (kind === 'create' || id === undefined) store.add();
	else if (kind === 'update') store.update(id, {});
	else store.remove(id);
}

/** With its durable scheduler, n8n 2.x abandons a poll after 45 s, and reads the static data anew for each. */
const DURABLE = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
};
/** How long (ms) the service takes for each page while records change. */
const USUAL_MS = 1_500;
/** A list has at least three pages and an empty one, so reads extend over several polls. */
const SLOW_MS = 12_000;

describe.each<[string, HostName, pageDelayMs: number, Record<string, string>]>([
	['n8n 1.123.81', 'n8n-1', USUAL_MS, {}],
	['n8n 2.41.1', 'n8n-2', USUAL_MS, {}],
	['n8n 2.41.1 with its durable scheduler', 'n8n-2', SLOW_MS, DURABLE],
	[
		// n8n itself saves the trigger's state after each poll.
		'n8n 2.41.1 with its durable scheduler and cursors',
		...(['n8n-2', SLOW_MS] as const),
		{ ...DURABLE, N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true' },
	],
])('%s', (name, version, pageDelayMs, environment) => {
	const real = useRealN8n(version, environment);
	const quietPolls = pageDelayMs === SLOW_MS ? QUIET_POLLS.slow : QUIET_POLLS.usual;
	test(`at least ${TURBULENT_POLLS} polls miss none of the random changes, and report none that is false`, async () => {
		const { sandbox } = real();
		const stores = [sandbox.contacts, sandbox.payments] as unknown as RecordStore<StoredRecord>[];
		const copies = stores.map((store) => new EventCopy(byId(store)));
		const polls = SOURCES.map(({ endpoint }) => new Polls(real(), endpoint, pageDelayMs));
		const workflows: string[] = [];
		for (const source of SOURCES) {
			const { id } = await publishScheduled(real(), source.name, source.parameters);
			workflows.push(id);
		}
		for (const each of polls) await each.whenEnded(1);

		// Delay the pages, so that records change between them.
		sandbox.fault({
			times: Infinity,
			action: { type: 'delay', ms: pageDelayMs, actFirst: true },
		});
		let changes = 0;
		while (polls.some(({ begun }) => begun < 1 + TURBULENT_POLLS)) {
			await sleep(Math.random() * MOST_SECONDS_BETWEEN_CHANGES * 1000);
			for (const store of stores) change(store);
			changes += stores.length;
		}
		sandbox.clearFaults();
		for (const each of polls) await each.whenQuiet();
		for (let quiet = 0; quiet < quietPolls; quiet++) {
			for (const each of polls) await each.whenNextEnded();
		}

		const executions = await Promise.all(workflows.map(async (id) => await emittedBy(real(), id)));
		for (const [index, copy] of copies.entries()) {
			const store = stores[index] as RecordStore<StoredRecord>;
			for (const events of executions[index] ?? []) copy.play(events, byId(store));
			expect(copy.falseEvents).toEqual([]);
			expect(copy.differencesFrom(byId(store))).toEqual({ missing: [], left: [] });
		}
		const events = executions.flat(2).length;
		report(
			`${name}: ${polls.map(({ begun }) => begun).join(' and ')} polls, ${changes} changes, ` +
				`${events} events in ${executions.flat().length} executions, none false, none missing`,
		);
		expect(executions.flat().filter((emitted) => emitted.length === 0)).toEqual([]);
		expect(events).toBeGreaterThan(TURBULENT_POLLS);
	});
});
