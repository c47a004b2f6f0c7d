/** All promises, held against what has happened. */
import type { Player } from '../scenario/player';
import { checkDocuments } from './documents';
import { checkLeftovers } from './leftovers';
import { checkLimits } from './limits';
import { checkNights } from './night';
import { checkProgress } from './progress';
import { checkResults } from './results';
import { checkRoom } from './room';
import { checkSecrets } from './secrets';
import { checkStops } from './stops';

/** A promise that was broken. */
export interface Violation {
	/** Which promise; a shortened plan must break the same. */
	kind: string;
	text: string;
}

const CHECKS = [
	checkLimits,
	checkDocuments,
	checkResults,
	checkRoom,
	checkStops,
	checkLeftovers,
	checkNights,
	checkSecrets,
	checkProgress,
];

export function observe(player: Player): Violation[] {
	return CHECKS.flatMap((check) => check(player));
}
