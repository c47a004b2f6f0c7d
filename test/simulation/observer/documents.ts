/** No document is acted on twice by our doing. What a proxy has doubled is not our doing. */
import { isSendOnce, keysOf } from '../scenario/generate';
import type { Player } from '../scenario/player';
import { groupBy } from './groupBy';
import type { Violation } from './violation';

export function checkDocuments({ plan, service, played }: Player): Violation[] {
	const nodes = new Map(plan.nodes.map((node) => [node.id, node]));
	const executions = new Map(played.map(({ planned }) => [planned.id, planned]));
	const ours = service.actions.filter(({ exchange }) => exchange.isDouble !== true);
	const acts = groupBy(ours, ({ item, endpoint, exchange }) => {
		const execution = exchange.caller?.execution ?? '';
		const node = nodes.get(executions.get(execution)?.node ?? '');
		// What has a key goes out once, whoever sends it; the rest once per execution.
		const sender = node !== undefined && isSendOnce(node) ? keysOf(node) : execution;
		// Another base URL is another business.
		return `${item} (${exchange.origin} ${endpoint}) for ${sender}`;
	});
	return [...acts].flatMap(([what, all]) =>
		all.length > 1
			? [
					{
						kind: 'acted twice',
						text: `${what}: ${all.length} times, by ${all.map(({ exchange }) => `request ${exchange.id} of ${exchange.caller?.execution}`).join(' and ')}`,
					},
				]
			: [],
	);
}
