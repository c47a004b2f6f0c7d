/** The API key appears only in its header, in requests to its own origin, and each run uses one credential. */
import type { Player } from '../scenario/player';
import type { Exchange } from '../service/exchange';
import { timeOf } from '../world/history';
import { groupBy } from './groupBy';
import type { Violation } from './observe';

export function checkSecrets(player: Player): Violation[] {
	const { plan, network, played, texts, table } = player;
	const keys = plan.keys.map(({ key }) => key);
	const places: Array<[string, unknown]> = [
		...played.map(({ planned, execution }): [string, unknown] => [
			planned.id,
			[execution.ending, execution.hints],
		]),
		['logs and Redis', texts],
		['the table', table.text],
		...network.exchanges.map((exchange): [string, unknown] => [
			`request ${exchange.id}`,
			{ ...exchange, headers: { ...exchange.headers, 'x-api-key': '' } },
		]),
	];
	const shown = places.filter(([, value]) => holds(value, keys, new Set()));
	return [
		...shown.map(([place]) => ({ kind: 'key shown', text: `the key is in ${place}` })),
		...network.exchanges.filter((exchange) => !isAtHome(player, exchange)).map(strayed),
		...mixedRuns(network.exchanges),
	];
}

/** Whether one of the texts is anywhere in the value, even in properties that are not enumerable. */
function holds(value: unknown, texts: string[], seen: Set<unknown>): boolean {
	if (typeof value === 'string') return texts.some((text) => value.includes(text));
	if (typeof value !== 'object' || value === null || seen.has(value)) return false;
	seen.add(value);
	if (Buffer.isBuffer(value)) return holds(value.toString(), texts, seen);
	return Reflect.ownKeys(value).some((name) => {
		const descriptor = Reflect.getOwnPropertyDescriptor(value, name);
		return holds(name, texts, seen) || holds(descriptor?.value, texts, seen);
	});
}

function isAtHome({ plan }: Player, { headers, origin }: Exchange): boolean {
	return plan.keys.some(({ key, origin: home }) => key === headers['x-api-key'] && home === origin);
}

const strayed = ({ id, origin, startedAt }: Exchange): Violation => ({
	kind: 'key strayed',
	text: `request ${id} at ${timeOf(startedAt)} took a key to ${origin} that does not belong there`,
});

/** Runs whose requests did not all go out with the same key. */
function mixedRuns(exchanges: Exchange[]): Violation[] {
	const ofNode = exchanges.filter(({ caller }) => caller !== undefined);
	const runs = groupBy(ofNode, ({ caller }) => `${caller?.execution} run ${caller?.run}`);
	return [...runs].flatMap(([run, own]) => {
		const keys = new Set(own.map(({ headers }) => headers['x-api-key']));
		return keys.size > 1 ? [{ kind: 'run of two keys', text: run }] : [];
	});
}
