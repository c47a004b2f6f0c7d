/** What has happened, for the observer and for whoever reads a failing seed. */

/** Anything worth a line. `kind` tells what it is, the other fields what it is about. */
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

	/** The last entries, one line each. */
	lines(count: number): string[] {
		return this.entries.slice(-count).map(lineOf);
	}
}

/** `2:03:04.567 kind detail=value …` */
function lineOf({ at, kind, ...details }: HistoryEntry): string {
	const parts = Object.entries(details).map(([name, value]) => `${name}=${textOf(value)}`);
	return [timeOf(at), kind, ...parts].join(' ');
}

function textOf(value: unknown): string {
	const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
	return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}

/** Hours, minutes, seconds and milliseconds since the world began. */
export function timeOf(ms: number): string {
	const whole = Math.floor(ms);
	const [seconds, minutes, hours] = [1_000, 60_000, 3_600_000].map((unit) =>
		Math.floor(whole / unit),
	) as [number, number, number];
	const two = (value: number) => String(value % 60).padStart(2, '0');
	return `${hours}:${two(minutes)}:${two(seconds)}.${String(whole % 1000).padStart(3, '0')}`;
}
