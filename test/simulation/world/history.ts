/** The events of a play, for the reader of a failing seed. */

/** When (ms since 1970) a world begins. */
export const WORLD_BEGINS_AT = Date.UTC(2026, 0, 5, 6);

/** An event worth a line, with further details. */
interface HistoryEntry {
	/** Since the world began (ms). */
	at: number;
	kind: string;
	[detail: string]: unknown;
}

export class History {
	readonly entries: HistoryEntry[] = [];

	constructor(private readonly now: () => number) {}

	add(kind: string, details: Record<string, unknown> = {}): void {
		this.entries.push({ at: this.now(), kind, ...details });
	}

	lines(count: number): string[] {
		return this.entries.slice(-count).map(lineOf);
	}
}

/** `2026-01-05T08:03:04.567Z kind detail=value …` */
function lineOf({ at, kind, ...details }: HistoryEntry): string {
	const parts = Object.entries(details).map(([name, value]) => `${name}=${textOf(value)}`);
	return [timeOf(at), kind, ...parts].join(' ');
}

function textOf(value: unknown): string {
	const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
	return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}

/** @param ms since the world began */
export function timeOf(ms: number): string {
	return Number.isFinite(ms) ? new Date(WORLD_BEGINS_AT + ms).toISOString() : 'never';
}
