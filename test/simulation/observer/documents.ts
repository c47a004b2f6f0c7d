/**
 * The node never makes the service act on a document twice. Two exceptions: a request that a proxy has duplicated, and a
 * key that was forgotten because the store was full. Only the oldest key may be forgotten; of two that were in flight
 * at the same time, either may count as older.
 */
import { isSendOnce, keysOf, memoryOf } from '../scenario/plan';
import type { Player } from '../scenario/player';
import type { Action } from '../service/service';
import { groupBy } from './groupBy';
import type { Violation } from './observe';

export function checkDocuments({ plan, service, network, played }: Player): Violation[] {
	const nodes = new Map(plan.nodes.map((node) => [node.id, node]));
	const executions = new Map(played.map(({ planned }) => [planned.id, planned]));
	/** The scope in which the key of a request is unique; undefined without a key. */
	const scopeOf = ({ caller }: Action['exchange']) => {
		const node = nodes.get(executions.get(caller?.execution ?? '')?.node ?? '');
		return node !== undefined && isSendOnce(node) ? keysOf(node) : undefined;
	};
	const sentByNode = service.actions.filter(({ exchange }) => exchange.isDuplicate !== true);
	const acts = groupBy(sentByNode, ({ item, endpoint, exchange }) => {
		// A document with a key goes out once per scope, any other once per execution.
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
