/** Time intervals. */

/** In ms, with `to` excluded. */
export type Interval = readonly [from: number, to: number];

export function union(intervals: Interval[]): Interval[] {
	const sorted = intervals.filter(([from, to]) => to > from).sort((a, b) => a[0] - b[0]);
	const merged: Array<[number, number]> = [];
	for (const [from, to] of sorted) {
		const last = merged.at(-1);
		if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
		else merged.push([from, to]);
	}
	return merged;
}

/** The intervals in which at least `count` of the given ones overlap. */
export function crowded(intervals: Interval[], count: number): Interval[] {
	const steps = intervals
		.filter(([from, to]) => to > from)
		.flatMap(([from, to]) => [
			{ at: from, change: 1 },
			{ at: to, change: -1 },
		])
		.sort((a, b) => a.at - b.at || a.change - b.change);
	const found: Interval[] = [];
	let depth = 0;
	let since = 0;
	for (const { at, change } of steps) {
		if (depth + change === count && change === 1) since = at;
		if (depth === count && change === -1) found.push([since, at]);
		depth += change;
	}
	return found;
}

export function without([from, to]: Interval, others: Interval[]): Interval[] {
	const free: Interval[] = [];
	let at = from;
	for (const [begin, end] of union(others)) {
		if (end <= at) continue;
		if (begin >= to) break;
		if (begin > at) free.push([at, begin]);
		at = Math.max(at, end);
	}
	if (at < to) free.push([at, to]);
	return free;
}

export const overlap = (a: Interval, b: Interval) => a[0] < b[1] && b[0] < a[1];
