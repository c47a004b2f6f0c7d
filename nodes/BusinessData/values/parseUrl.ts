/**
 * The URL that a text is; undefined where it is none. `URL.canParse` refuses letters such as ü in Node 20 once it was
 * called some thousand times, and Node 20 has no `URL.parse`.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
	try {
		return new URL(text, base);
	} catch {
		return undefined;
	}
}
