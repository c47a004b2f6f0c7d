// Writes the page, its plots and its figures to docs/.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TopLevelSpec } from 'vega-lite' with { 'resolution-mode': 'import' };
import { measuredIn, pageOf } from './page';
import { plotsOf } from './plots';
import type { BenchmarkResults } from './results';
import { csvOf } from './tables';

const DOCS_FOLDER = join(__dirname, '..', 'docs');
const PAGE = 'benchmark.md';
const FIGURES = 'benchmark.csv';

async function drawSvg(spec: TopLevelSpec): Promise<string> {
	// These packages have no CommonJS build.
	const [{ compile }, { parse, View }] = await Promise.all([import('vega-lite'), import('vega')]);
	const svg = await new View(parse(compile(spec).spec), { renderer: 'none' }).toSVG();
	// Two decimals of a pixel are enough.
	return svg.replaceAll(/\d+\.\d{3,}/g, (figure) => String(Number(Number(figure).toFixed(2))));
}

/** Writes docs/benchmark.md in the project's format, its plots and its figures. Returns the file of the page. */
export async function writePage(results: BenchmarkResults, folder = DOCS_FOLDER): Promise<string> {
	const { format, resolveConfig } = await import('prettier');
	const plots = plotsOf(results);
	for (const { file, spec } of plots) await writeFile(join(folder, file), await drawSvg(spec));
	await writeFile(join(folder, FIGURES), csvOf(measuredIn(results)));
	const page = join(folder, PAGE);
	const style = await resolveConfig(page);
	await writeFile(page, await format(pageOf(results, plots), { ...style, filepath: page }));
	return page;
}
