/** `1 request`, `2 requests`. */
export function countOf(count: number, singular: string): string {
	return `${count} ${singular}${count === 1 ? '' : 's'}`;
}
