/** Whether the value is a text or a number, as IDs and cursors are. */
export function isTextOrNumber(value: unknown): value is string | number {
	return typeof value === 'string' || typeof value === 'number';
}
