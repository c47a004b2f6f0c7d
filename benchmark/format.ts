// Formats the figures and tables of the page. markdown-table has no CommonJS build.

/** Formats a time (ms) for reading: `0.42 s`, `62.1 s`, `9 min 32 s`. */
export function formatTime(ms: number): string {
	const seconds = ms / 1000;
	if (seconds < 10) return `${seconds.toFixed(2)} s`;
	if (seconds < 180) return `${seconds.toFixed(1)} s`;
	const minutes = Math.floor(Math.round(seconds) / 60);
	if (minutes < 60) return `${minutes} min ${Math.round(seconds) % 60} s`;
	return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Formats a configured time (ms): `5 s`, `6.1 s`. */
export function formatSetting(ms: number): string {
	return `${Number((ms / 1000).toFixed(2))} s`;
}

/** Formats a whole number with thousands separators. */
export function formatCount(count: number): string {
	return count.toLocaleString('en');
}

/** A Markdown table. The first column is text; the others are figures, or text too. */
export function markdownTable(header: string[], rows: string[][], areFigures = true): string {
	const line = (cells: string[]): string => `| ${cells.join(' | ')} |`;
	const alignment = header.map((_, column) => (column > 0 && areFigures ? '---:' : '---'));
	return [line(header), line(alignment), ...rows.map(line)].join('\n');
}
