/**
 * When nothing is in flight any more, nothing is left over: no run, place, timer, listener, connection or registry
 * entry, and in Redis only the keys of Send Once.
 */
import { getEventListeners } from 'node:events';

import type { Life, Player } from '../scenario/player';
import type { Violation } from './observe';

/** 64 MB, plus the bytes in flight when that limit was reached. */
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

/** The registries of the package on the global object that are not empty. */
function registries(global: object): string[] {
	return (
		Object.getOwnPropertySymbols(global)
			.filter(({ description = '' }) => description.startsWith('n8n-nodes-business-data'))
			// Addresses of Redis are kept on purpose; its connections are checked elsewhere.
			.filter(({ description = '' }) => !description.includes('/redis/'))
			.flatMap((symbol) => {
				const size = sizeOf(Reflect.get(global, symbol));
				return size === 0 ? [] : [`${symbol.description}: ${size}`];
			})
	);
}

/** The number of entries in maps and lists, at any depth of plain objects. */
function sizeOf(value: unknown): number {
	if (typeof value !== 'object' || value === null) return 0;
	const { size, length } = value as { size?: unknown; length?: unknown };
	if (typeof size === 'number') return size;
	if (typeof length === 'number') return length;
	return Object.values(value).reduce((sum: number, one) => sum + sizeOf(one), 0);
}
