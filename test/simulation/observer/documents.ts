/**
 * No document is acted on twice by our doing. What a proxy has doubled is not our doing; and a key that is forgotten,
 * because nodes remember so many and as many others were sent since, goes out again: the oldest, never others. Of two
 * that were under way together, either is the older one.
 */
import { isSendOnce, keysOf, memoryOf } from '../scenario/plan';
import type { Player } from '../scenario/player';
import type { Action } from '../service/service';
import { groupBy } from './groupBy';
import type { Violation } from './observe';

export function checkDocuments({ plan, service, network, played }: Player): Violation[] {
	const nodes = new Map(plan.nodes.map((node) => [node.id, node]));
	const executions = new Map(played.map(({ planned }) => [planned.id, planned]));
	/** What the key of a request is unique to; undefined without a key. */
	const scopeOf = ({ caller }: Action['exchange']) => {
		const node = nodes.get(executions.get(caller?.execution ?? '')?.node ?? '');
		return node !== undefined && isSendOnce(node) ? keysOf(node) : undefined;
	};
	const sentByNode = service.actions.filter(({ exchange }) => exchange.isDouble !== true);
	const acts = groupBy(sentByNode, ({ item, endpoint, exchange }) => {
		// What has a key goes out once, from any sender; the rest once per execution.
		const sender = scopeOf(exchange) ?? exchange.caller?.execution;
		// Another base URL is another business.
		return `${item} (${exchange.origin} ${endpoint}) for ${sender}`;
	});
	const isForgotten = (first: Action, second: Action) => {
		const scope = scopeOf(first.exchange);
		const same = plan.nodes.filter((node) => isSendOnce(node) && keysOf(node) === scope);
		const others = network.exchanges.filter(
			(exchange) =>
				(exchange.bodyAt ?? exchange.lostAt ?? Infinity) > first.exchange.startedAt &&
				exchange.startedAt < second.exchange.startedAt &&
				scopeOf(exchange) === scope,
		);
		const items = new Set(others.flatMap((exchange) => exchange.items));
		items.delete(first.item);
		return same.length > 0 && items.size >= Math.min(...same.map(memoryOf));
	};
	return [...acts].flatMap(([what, all]) =>
		all.slice(1).flatMap((second, index) => {
			const first = all[index] as Action;
			if (isForgotten(first, second)) return [];
			const by = [first, second].map(
				({ exchange: { id, caller } }) => `request ${id} of ${caller?.execution}`,
			);
			return [{ kind: 'acted twice', text: `${what}: by ${by.join(' and ')}` }];
		}),
	);
}
