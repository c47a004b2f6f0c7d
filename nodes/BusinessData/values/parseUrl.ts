/** Like `URL.parse`, which Node 20 lacks. Its `URL.canParse` refuses letters such as ü after some thousand calls. */
export function parseUrl(text: string, base?: string): URL | undefined {
	try {
		return new URL(text, base);
	} catch {
		return undefined;
	}
}
