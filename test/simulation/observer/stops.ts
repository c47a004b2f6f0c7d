/** A stopped execution sends no further request, and ends soon. */
import type { Player } from '../scenario/player';
import type { Violation } from './observe';

/** The longest step (ms) that is completed after a stop: a write to n8n's store, behind a lock of another process. */
const LONGEST_END_MS = 45_000;

export function checkStops({ network, played }: Player): Violation[] {
	return played.flatMap(({ planned: { id, tool }, execution, endedAt = Infinity, life }) => {
		const { stoppedAt } = execution;
		// Behind an MCP trigger, n8n passes no stop signal.
		if (stoppedAt === undefined || tool === 'mcp' || life.diedAt !== undefined) return [];
		const late = network.exchanges.filter(
			({ caller, startedAt, leftAt = startedAt }) => caller?.execution === id && leftAt > stoppedAt,
		);
		return [
			...late.map((exchange) => ({
				kind: 'request after stop',
				text: `${id} was stopped, and request ${exchange.id} left ${(exchange.leftAt ?? exchange.startedAt) - stoppedAt} ms later`,
			})),
			...(endedAt - stoppedAt > LONGEST_END_MS
				? [{ kind: 'stop without end', text: `${id} went on for ${endedAt - stoppedAt} ms` }]
				: []),
		];
	});
}
