/** Plays one plan and returns its violations. */
import { inspect } from 'node:util';

import { ensureN8nSources } from '../../scripts/host/n8nSources';
import type { DirectedPlay } from './directed/plays';
import { observe, type Violation } from './observer/observe';
import type { Patch } from './process/modules';
import { Lua } from './redis/lua';
import type { Plan } from './scenario/plan';
import { type Equipment, Player } from './scenario/player';

export interface Outcome {
	violations: Violation[];
	/** The last events, one line each. */
	history: string[];
	/** The duration (ms) in simulated time. */
	simulatedMs: number;
	requests: number;
}

/** Prepares what a process needs to play plans, once. */
export async function equip(patches: Patch[] = []): Promise<Equipment> {
	const [lua, n8nSources] = await Promise.all([Lua.load(), ensureN8nSources()]);
	return { lua, n8nSources, patches };
}

/** How many lines of a history are kept: enough to understand a failure. */
const LINES = 400;

let playing: Player | undefined;

/** Unhandled rejections and warnings, from the code under test or the simulation, count against the plan. */
function complain(what: unknown): void {
	playing?.complaints.push(inspect(what));
}
process.on('unhandledRejection', complain);
process.on('warning', complain);

/** @param sent the documents that the service must have sent, if known */
export async function playPlan(
	plan: Plan,
	equipment: Equipment,
	sent?: string[],
): Promise<Outcome> {
	const player = new Player(plan, equipment);
	playing = player;
	const violations: Violation[] = [];
	try {
		await player.play();
		violations.push(...observe(player));
		const documents = player.documents.join();
		if (sent !== undefined && documents !== sent.join()) {
			violations.push({ kind: 'sent otherwise', text: `${documents}, not ${sent.join()}` });
		}
	} catch (error) {
		violations.push({ kind: 'simulation at fault', text: inspect(error) });
	} finally {
		player.close();
		playing = undefined;
	}
	const { now, history } = player.world;
	return {
		violations,
		history: history.lines(LINES),
		simulatedMs: now,
		requests: player.network.exchanges.length,
	};
}

/** Plays all plans. Returns the first failed outcome, or the last one. */
export async function playDirected(
	{ plans, sent }: DirectedPlay,
	equipment: Equipment,
): Promise<Outcome> {
	const [plan, ...more] = plans;
	const outcome = await playPlan(plan as Plan, equipment, sent);
	if (outcome.violations.length > 0 || more.length === 0) return outcome;
	return await playDirected({ name: '', plans: more, sent }, equipment);
}
