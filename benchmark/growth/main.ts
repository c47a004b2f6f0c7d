/**
 * Measures how the limiter and the node scale, and writes the figures between the markers in docs/scale.md: all of
 * them, or the named ones, as in `npm run growth -- redis cluster`. Each measurement runs in its own process. Takes
 * a few minutes, and needs `redis-server`.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { ensureHost } from '../../scripts/host/installN8n';
import { FIGURES, type Measure } from './tables';

const PAGE = join(__dirname, '../../docs/scale.md');
const LONGEST_MEASUREMENT_MS = 300_000;

const measure: Measure = async (name, ...parameters) => {
	console.log(name, ...parameters);
	const script = [join(__dirname, 'measure.ts'), name, JSON.stringify(parameters[0] ?? null)];
	// n8n's SQLite binding is compiled for the Node.js of that n8n.
	const node =
		name === 'sendOnce' ? (await ensureHost({ version: 'n8n-2' })).nodePath : process.execPath;
	const { stdout } = await promisify(execFile)(node, ['--import', 'tsx', ...script], {
		timeout: LONGEST_MEASUREMENT_MS,
	});
	return JSON.parse(stdout) as never;
};

/** Inserts each text between its markers. @throws if the page lacks a marker */
function fill(page: string, texts: Record<string, string>): string {
	return Object.entries(texts).reduce((filled, [name, text]) => {
		const begin = `<!-- figures: ${name} -->`;
		const from = filled.indexOf(begin);
		const to = filled.indexOf('<!-- end -->', from);
		if (from === -1 || to === -1) throw new Error(`docs/scale.md has no place for "${name}"`);
		return `${filled.slice(0, from)}${begin}\n\n${text}\n\n${filled.slice(to)}`;
	}, page);
}

async function main(): Promise<void> {
	const named = process.argv.slice(2);
	const names = Object.keys(FIGURES).filter((name) => named.length === 0 || named.includes(name));
	const texts: Record<string, string> = {};
	for (const name of names) texts[name] = (await FIGURES[name]?.(measure)) ?? '';
	writeFileSync(PAGE, fill(readFileSync(PAGE, 'utf8'), texts));
	await promisify(execFile)('npx', ['prettier', '--write', PAGE]);
	console.log(Object.values(texts).join('\n\n'));
}

main().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
