/** Every item ends in exactly one result or one clear error, and the reported outcome is true. */
import { isSendOnce, keysOf } from '../scenario/plan';
import type { Played, Player } from '../scenario/player';
import type { Exchange } from '../service/exchange';
import { type ItemReport, type Kind, reportedBy } from './endings';
import type { Violation } from './observe';

export function checkResults(player: Player): Violation[] {
	return player.played.flatMap((played) => {
		const kind = kindOf(player, played);
		const { items: reports, problems } = reportedBy(played, kind);
		const { id, items } = played.planned;
		const lies = reports.flatMap((report, index) => {
			const item = items[index]?.id ?? '';
			const why =
				report === undefined ? undefined : new Judge(player, played, item, kind).lieIn(report);
			return why === undefined
				? []
				: [`${id} item ${index} (${item}) is reported as ${report?.is}, but ${why}`];
		});
		return [
			...problems.map((text) => ({ kind: 'unclear result', text: `${id}: ${text}` })),
			...lies.map((text) => ({ kind: 'untrue result', text })),
		];
	});
}

function kindOf({ plan }: Player, { planned }: Played): Kind {
	const node = plan.nodes.find(({ id }) => id === planned.node);
	const { resource, operation, method } = node?.parameters ?? {};
	if (operation === 'deleteMany') return 'delete';
	if (operation === 'waitForRoom') return 'wait';
	if (operation === 'getMany' || method === 'GET') return 'read';
	return resource === 'apiRequest' ? 'call' : 'send';
}

/** Compares the reported outcome of an item with its requests on the network. */
class Judge {
	private readonly own: Exchange[];

	constructor(
		private readonly player: Player,
		private readonly played: Played,
		private readonly item: string,
		private readonly kind: Kind,
	) {
		const { id } = played.planned;
		this.own = this.requestsWith(item).filter(({ caller }) => caller?.execution === id);
	}

	lieIn(report: ItemReport): string | undefined {
		switch (report.is) {
			case 'done':
				return this.lieInDone(report);
			case 'sent':
				return this.own.some(isDone) ? undefined : 'it was not sent, or nobody can know';
			case 'skipped':
				return this.mayBeUsed() ? undefined : 'nobody has sent it, or was about to';
			case 'notTried':
			case 'notSent':
				// A read may be retried after any outcome.
				if (this.kind === 'read') return undefined;
				return this.own.every(isRefused) ? undefined : 'a request had left';
			case 'refused':
				if (this.own.some(({ actedAt }) => actedAt !== undefined)) return 'the service has acted';
				return this.own.some((one) => isRefused(one) && one.leftAt !== undefined)
					? undefined
					: 'the service has refused nothing';
			case 'unknown':
				return this.hasLeft() ? undefined : 'nothing had left';
		}
	}

	private lieInDone({ outputs }: ItemReport & { is: 'done' }): string | undefined {
		if (this.kind === 'wait') {
			const isPassedOn = outputs.length === 1 && outputs[0]?.json.id === this.item;
			return isPassedOn ? undefined : 'it was not passed on';
		}
		const isRead = this.kind === 'read';
		const isTrue = this.own.some((exchange) =>
			isRead ? exchange.status === 200 : isDone(exchange),
		);
		if (!isTrue) return 'the service has not done it';
		const { document = this.item, item = this.item } = outputs[0]?.json ?? {};
		if (document !== this.item || item !== this.item) return 'it got the response of another';
		return undefined;
	}

	private mayBeUsed(): boolean {
		const { endedAt = Infinity, planned } = this.played;
		const node = this.player.plan.nodes.find(({ id }) => id === planned.node);
		if (node === undefined || !isSendOnce(node)) return false;
		const same = this.player.plan.nodes.filter((other) => keysOf(other) === keysOf(node));
		const rivals = this.player.played.filter(
			({ planned: { node: other, items } }) =>
				same.some(({ id }) => id === other) && items.some(({ id }) => id === this.item),
		);
		const names = new Set(rivals.map((rival) => rival.planned.id));
		const hasLeft = this.requestsWith(this.item).some(
			(exchange) =>
				names.has(exchange.caller?.execution ?? '') &&
				exchange.startedAt <= endedAt &&
				(!isRefused(exchange) || (exchange.respondedAt ?? Infinity) > this.played.startedAt),
		);
		const wasKilled = rivals.some(
			({ life: { diedAt = Infinity }, startedAt, endedAt: end = Infinity }) =>
				diedAt < endedAt && startedAt <= diedAt && end > diedAt,
		);
		return hasLeft || wasKilled;
	}

	private hasLeft(): boolean {
		return this.kind === 'read' || this.own.some(({ leftAt }) => leftAt !== undefined);
	}

	private requestsWith(item: string): Exchange[] {
		return this.player.network.exchanges.filter(
			({ items, isDuplicate }) => isDuplicate !== true && items.includes(item),
		);
	}
}

/** Whether the service has acted and responded. */
function isDone({ actedAt, status = 0, respondedAt }: Exchange): boolean {
	return actedAt !== undefined && status < 300 && respondedAt !== undefined;
}

/** Whether the request was not sent, or was refused by the service. */
function isRefused({ status = 0, respondedAt, leftAt }: Exchange): boolean {
	if (leftAt === undefined) return true;
	return respondedAt !== undefined && status >= 400 && status < 500 && status !== 408;
}
