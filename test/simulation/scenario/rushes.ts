/** The busy times of a day, minutes or hours apart. */
import type { Random } from '../world/random';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

/** A busy time: several executions that overlap. */
export interface Rush {
	from: number;
	until: number;
}

export function rushesOf(random: Random): Rush[] {
	const count = random.whole(1, 3);
	let from = random.between(1_000, HOUR_MS);
	return Array.from({ length: count }, () => {
		const rush = { from, until: from + random.one([2_000, 20_000, 90_000]) };
		from =
			rush.until + random.one([MINUTE_MS, 20 * MINUTE_MS, 6 * HOUR_MS]) * (0.5 + random.next());
		return rush;
	});
}
