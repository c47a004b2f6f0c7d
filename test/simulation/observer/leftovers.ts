/**
 * When nothing is under way any more, nothing is left: no run, place, timer, listener, connection, or entry
 * of a registry; in Redis, only what Send Once remembers.
 */
import { getEventListeners } from 'node:events';

import type { Life, Player } from '../scenario/player';
import type { Violation } from './observe';

/** 64 MB, and what was on its way when that was read. */
const LARGEST_BODY_BYTES = 66 * 1024 * 1024;

export function checkLeftovers(player: Player): Violation[] {
	const { played, lives, keysLeft } = player;
	const living = lives.filter(({ diedAt }) => diedAt === undefined);
	const left: Array<[string, string]> = [];
	for (const { execution, life, planned } of played) {
		if (life.diedAt !== undefined) continue;
		if (!execution.isOver) left.push(['execution without end', planned.id]);
		const listeners = getEventListeners(execution.signal, 'abort').length;
		if (execution.isOver && listeners > 0)
			left.push(['listener left', `${planned.id}: ${listeners}`]);
	}
	for (const life of living) left.push(...leftIn(life));
	for (const key of keysLeft) {
		if (!key.includes('sendOnce')) left.push(['entry left in Redis', key]);
	}
	for (const { id, bodyBytes = 0 } of player.network.exchanges) {
		if (bodyBytes > LARGEST_BODY_BYTES) {
			left.push(['body read too far', `request ${id}: ${bodyBytes} bytes`]);
		}
	}
	for (const text of player.complaints) left.push(['complaint', text]);
	return left.map(([kind, text]) => ({ kind, text }));
}

function leftIn({ process }: Life): Array<[string, string]> {
	const { name, timers, resources, realm, complaints } = process;
	return [
		...timers.active.map(({ ms }): [string, string] => ['timer left', `${name}: ${ms} ms`]),
		...(resources.size > 0 ? [['connection left', `${name}: ${resources.size}`] as const] : []),
		...complaints.map((text): [string, string] => ['complaint', `${name}: ${text}`]),
		...registries(realm.global).map((text): [string, string] => ['entry left', `${name}: ${text}`]),
	].map(([kind, text]) => [kind, text]);
}

/** What the package keeps on the global object, as far as it is not empty. */
function registries(global: object): string[] {
	return (
		Object.getOwnPropertySymbols(global)
			.filter(({ description = '' }) => description.startsWith('n8n-nodes-business-data'))
			// Where a Redis is stays known; its connections are counted by themselves.
			.filter(({ description = '' }) => !description.includes('/redis/'))
			.flatMap((symbol) => {
				const size = sizeOf(Reflect.get(global, symbol));
				return size === 0 ? [] : [`${symbol.description}: ${size}`];
			})
	);
}

/** How many entries there are in maps and lists, at any depth of plain objects. */
function sizeOf(value: unknown): number {
	if (typeof value !== 'object' || value === null) return 0;
	const { size, length } = value as { size?: unknown; length?: unknown };
	if (typeof size === 'number') return size;
	if (typeof length === 'number') return length;
	return Object.values(value).reduce((sum: number, one) => sum + sizeOf(one), 0);
}
