// The plots of the page, as specifications for Vega-Lite.
import type { TopLevelSpec } from 'vega-lite' with { 'resolution-mode': 'import' };
import { bestSchedule } from './bestSchedule';
import { CONTENDERS } from './contenders';
import { windowsOf } from './limits';
import type { PagePlot } from './page';
import type { BenchmarkResults, ContenderResult } from './results';
import { requestsFor } from './measure';
import { WORK_ITEMS, type WorkItem } from './workItems';

const BEST = 'Best possible schedule';
const PLOTTED_READS = 'reads-130-50ms';
const PLOTTED_SINGLES = 'singles';
const WIDTH = 720;
// Told apart by people who see few colours, too (the palette of Okabe and Ito).
const COLOURS = ['#000000', '#009e73', '#e69f00', '#0072b2', '#d55e00', '#cc79a7', '#56b4e9'];

/** A plot with what it is drawn from. */
export interface Plot extends PagePlot {
	spec: TopLevelSpec;
}

interface Step {
	name: string;
	/** Since the first request. */
	seconds: number;
	/** Requests let through so far. */
	count: number;
}

/** How many requests were let through by each of the moments (ms), up to `endMs`. */
export function stepsOf(name: string, moments: number[], endMs: number): Step[] {
	const steps = moments.map((moment, index) => ({
		name,
		seconds: moment / 1000,
		count: index + 1,
	}));
	return [...steps, { name, seconds: endMs / 1000, count: moments.length }];
}

const legendOrder = (results: ContenderResult[]): string[] => {
	const titles = results.map(({ contender }) => CONTENDERS[contender].title);
	return [BEST, ...titles.reverse()];
};

const timeAxis = { field: 'seconds', type: 'quantitative', title: 'Seconds' } as const;
const configuration = { background: 'white', padding: 10 } as const;

function readsPlot(item: WorkItem, results: ContenderResult[]): Plot {
	const names = legendOrder(results);
	const best = bestSchedule(requestsFor(item), windowsOf(item.limits, item.endpoint));
	const endMs = Math.max(
		...best,
		...results.flatMap(({ letThroughAt, refusedAt }) => [...letThroughAt, ...refusedAt]),
	);
	const steps = [
		...stepsOf(BEST, best, endMs),
		...results.flatMap(({ contender, letThroughAt }) =>
			stepsOf(CONTENDERS[contender].title, letThroughAt, endMs),
		),
	];
	const refusals = results.flatMap(({ contender, refusedAt }) =>
		refusedAt.map((moment) => ({ name: CONTENDERS[contender].title, seconds: moment / 1000 })),
	);
	const colour = {
		field: 'name',
		type: 'nominal',
		scale: { domain: names, range: [...COLOURS, '#999999'] },
		legend: { title: null, orient: 'right', symbolStrokeWidth: 3 },
	} as const;
	return {
		file: 'benchmark-reads.svg',
		part: item.part,
		caption: `${item.title}: requests that the service let through over time for each contender, beside the best possible schedule, and when it refused requests`,
		spec: {
			...configuration,
			title: item.title,
			vconcat: [
				{
					width: WIDTH,
					height: 320,
					data: { values: steps },
					mark: { type: 'line', interpolate: 'step-after', strokeWidth: 2 },
					encoding: {
						x: { ...timeAxis, scale: { domain: [0, endMs / 1000] } },
						y: { field: 'count', type: 'quantitative', title: 'Requests let through' },
						color: colour,
						strokeDash: {
							condition: { test: `datum.name === '${BEST}'`, value: [5, 4] },
							value: [1, 0],
						},
					},
				},
				{
					width: WIDTH,
					height: { step: 18 },
					data: { values: refusals },
					mark: { type: 'tick', thickness: 1, opacity: 0.6 },
					encoding: {
						x: { ...timeAxis, scale: { domain: [0, endMs / 1000] } },
						y: {
							field: 'name',
							type: 'nominal',
							title: 'Refused (429)',
							scale: { domain: names.slice(1) },
						},
						color: { ...colour, legend: null },
					},
				},
			],
		},
	};
}

function singlesPlot(item: WorkItem, results: ContenderResult[]): Plot {
	const waits = results.flatMap(({ contender, singles = [] }) =>
		singles.flatMap(({ atMs, waitMs }) =>
			waitMs === undefined
				? []
				: [
						{
							name: CONTENDERS[contender].title,
							seconds: atMs / 1000,
							wait: waitMs / 1000,
						},
					],
		),
	);
	const lost = results.flatMap(({ contender, singles = [] }) =>
		singles
			.filter(({ waitMs }) => waitMs === undefined)
			.map(({ atMs }) => ({ name: CONTENDERS[contender].title, seconds: atMs / 1000, wait: 0 })),
	);
	const encoding = {
		x: { ...timeAxis, title: 'Seconds after the batch began' },
		y: { field: 'wait', type: 'quantitative', title: 'Seconds until let through' },
		color: {
			field: 'name',
			type: 'nominal',
			scale: { domain: legendOrder(results).slice(1), range: [...COLOURS.slice(1), '#999999'] },
			legend: { title: null },
		},
	} as const;
	return {
		file: 'benchmark-singles.svg',
		part: item.part,
		caption: `${item.title}: how long each single request waited, and crosses for those that were never let through`,
		spec: {
			...configuration,
			title: item.title,
			width: WIDTH,
			height: 260,
			layer: [
				{ data: { values: waits }, mark: { type: 'point', filled: true, size: 50 }, encoding },
				{ data: { values: lost }, mark: { type: 'point', shape: 'cross', size: 50 }, encoding },
			],
		},
	};
}

/** The plots that the results have data for. */
export function plotsOf(results: BenchmarkResults): Plot[] {
	const draw = (id: string, plot: (item: WorkItem, results: ContenderResult[]) => Plot): Plot[] => {
		const item = WORK_ITEMS.find((one) => one.id === id);
		const found = results.items.find((result) => result.item === id);
		return item === undefined || found === undefined ? [] : [plot(item, [...found.contenders])];
	};
	return [...draw(PLOTTED_READS, readsPlot), ...draw(PLOTTED_SINGLES, singlesPlot)];
}
