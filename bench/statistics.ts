// The few statistics that the page shows.

/** The middle one of the values; of an even number of them, the mean of the middle two. */
export function median(values: number[]): number | undefined {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length / 2;
	const lower = sorted[Math.ceil(middle) - 1];
	const upper = sorted[Math.floor(middle)];
	return lower === undefined || upper === undefined ? undefined : (lower + upper) / 2;
}

/** The largest of the values; undefined when there are none. */
export function largest(values: number[]): number | undefined {
	return values.length === 0 ? undefined : Math.max(...values);
}

/** The sum of the values. */
export function sum(values: number[]): number {
	return values.reduce((total, value) => total + value, 0);
}
