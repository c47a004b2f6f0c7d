/** Whether the value is a text or a number, as IDs and cursors are. */
export function isScalar(value: unknown): value is string | number {
	return typeof value === 'string' || typeof value === 'number';
}
