/** Checks all guarantees against the recorded events. */
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

/** A broken guarantee. */
export interface Violation {
	/** Which guarantee. A shortened plan must break the same one. */
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
