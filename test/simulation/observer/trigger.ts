/** The trigger tells only what happened, and everything: played onto a copy, its events lead to the list. */
import type { PollResult } from '../n8n/poller';
import type { Player } from '../scenario/player';
import type { Violation } from './violation';

/** How many polls in a row must have succeeded, so that whatever needs confirmation has it. */
const QUIET_POLLS = 3;

interface ContactEvent {
	event: string;
	contact: { id: string; name?: string };
}

/** A poll that begins during another one leaves everything to that. */
const isDuring = (at: number, { from, to }: PollResult) => at > from && at < to;

export function checkTriggers({ plan, polls, service }: Player): Violation[] {
	return plan.triggers.flatMap(({ node }) => {
		const own = polls.filter(({ trigger }) => trigger === node);
		const copy = new Map<string, string | undefined>();
		const untrue: string[] = [];
		let business: string | undefined;
		for (const { events = [], asked } of own) {
			// Of another business nothing is known; what was there comes as new.
			if (events.length > 0 && asked.business !== business) {
				copy.clear();
				({ business } = asked);
			}
			for (const { event, contact } of events as unknown as ContactEvent[]) {
				const isKnown = copy.has(contact.id);
				if (isKnown === (event === 'contactCreated')) untrue.push(`${event} ${contact.id}`);
				if (event === 'contactDeleted') copy.delete(contact.id);
				else copy.set(contact.id, contact.name);
			}
		}
		const lastChange = plan.contactChanges.at(-1) ?? 0;
		const quiet = own
			.filter(({ from }) => from > lastChange && !own.some((other) => isDuring(from, other)))
			.slice(-QUIET_POLLS);
		const isSettled =
			quiet.length === QUIET_POLLS && quiet.every(({ error }) => error === undefined);
		const list = service.contacts.list();
		const isEqual =
			list.length === copy.size && list.every(({ id, name }) => copy.get(id) === name);
		// Nothing in a plan makes the settings of a trigger wrong.
		const broken = own.find(
			({ error }) => (error as Error | undefined)?.name === 'NodeOperationError',
		);
		return [
			...(broken === undefined
				? []
				: [{ kind: 'poll failed', text: `${node}: ${String(broken.error)}` }]),
			...untrue.map((text) => ({ kind: 'untrue event', text: `${node}: ${text}` })),
			...(isSettled && !isEqual
				? [
						{
							kind: 'event missing',
							text: `${node}: ${JSON.stringify([...copy])}, not ${JSON.stringify(list)}`,
						},
					]
				: []),
		];
	});
}
