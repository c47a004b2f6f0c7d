/** JSON that may not be JSON. */

/** The value of a JSON text, or the parser's own words on why it is none. */
export function tryParseJson(text: string): { value: unknown } | { problem: string } {
	try {
		return { value: JSON.parse(text) as unknown };
	} catch (error) {
		return { problem: error instanceof Error ? error.message : 'it cannot be read' };
	}
}
