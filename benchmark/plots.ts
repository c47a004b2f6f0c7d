// The plots of the page, as specifications for Vega-Lite.
import type { TopLevelSpec } from 'vega-lite' with { 'resolution-mode': 'import' };
import { bestSchedule, windowsOf } from './bestSchedule';
import { CONTENDERS } from './contenders';
import type { PagePlot } from './page';
import type { BenchmarkResults, ContenderResult } from './results';
import { requestsFor } from './measure';
import { WORK_ITEMS, type WorkItem } from './workItems';

const BEST = 'Best possible schedule';
const PLOTTED_READS = 'reads-130-50ms';
const PLOTTED_SINGLES = 'singles';
const WIDTH = 720;
const REFUSALS_TOGETHER_MS = 500;
// The palette of Okabe and Ito, which colour-blind people can distinguish.
const COLOURS = [
	...['#000000', '#009e73', '#e69f00', '#0072b2'],
	...['#d55e00', '#cc79a7', '#56b4e9', '#999999'],
];

/** A plot with its specification. */
interface Plot extends PagePlot {
	spec: TopLevelSpec;
}

interface Step {
	name: string;
	/** Since the first request. */
	seconds: number;
	/** Requests let through so far, or refused at this time. */
	count: number;
}

/** The number of requests let through by each time (ms), up to `endMs`. */
function stepsOf(name: string, moments: number[], endMs: number): Step[] {
	const steps = moments.map((moment, index) => ({
		name,
		seconds: moment / 1000,
		count: index + 1,
	}));
	return [...steps, { name, seconds: endMs / 1000, count: moments.length }];
}

/** The number of requests refused in each half second with refusals. */
function refusalsOf(name: string, moments: number[]): Step[] {
	const counts = new Map<number, number>();
	for (const moment of moments) {
		const middle = (Math.floor(moment / REFUSALS_TOGETHER_MS) + 0.5) * REFUSALS_TOGETHER_MS;
		counts.set(middle, (counts.get(middle) ?? 0) + 1);
	}
	return [...counts].map(([middle, count]) => ({ name, seconds: middle / 1000, count }));
}

/** In the order of the legend: the last to start is first. */
const namesOf = (results: ContenderResult[]): string[] =>
	results.map(({ contender }) => CONTENDERS[contender].title).toReversed();

/** Shared by all parts of a plot: the names, which determine the colours, and the end of the time axis. */
interface Frame {
	names: string[];
	endSeconds: number;
}

const time = ({ endSeconds }: Frame, title: string) => ({
	field: 'seconds',
	type: 'quantitative' as const,
	title,
	scale: { domain: [0, endSeconds], nice: false },
});

const colour = ({ names }: Frame) => ({
	field: 'name',
	type: 'nominal' as const,
	scale: { domain: names, range: COLOURS.slice(COLOURS.length - names.length) },
});

const legend = { title: null, labelLimit: 0, symbolStrokeWidth: 3, symbolType: 'stroke' } as const;

/** A row per contender with a dot for every time at which requests were refused or lost. */
const strip = (frame: Frame, title: string, values: Step[], sizeTitle?: string) => ({
	width: WIDTH,
	height: { step: 18 as number },
	data: { values },
	mark: { type: 'circle' as const, opacity: 0.6 },
	encoding: {
		x: time(frame, 'Seconds'),
		y: {
			field: 'name',
			type: 'nominal' as const,
			title,
			axis: { labelLimit: 0 },
			scale: { domain: frame.names.filter((name) => name !== BEST) },
		},
		color: { ...colour(frame), legend: null },
		size: {
			field: 'count',
			type: 'quantitative' as const,
			scale: { domain: [1, 100], range: [12, 250], clamp: true },
			legend:
				sizeTitle === undefined ? null : { title: sizeTitle, titleLimit: 0, values: [1, 10, 100] },
		},
	},
});

const whole = {
	background: 'white',
	padding: 10,
	resolve: { legend: { color: 'independent', size: 'independent' } },
} as const;

function readsPlot(item: WorkItem, results: ContenderResult[]): Plot {
	const best = bestSchedule(requestsFor(item), windowsOf(item.limits, item.endpoint));
	const moments = results.flatMap((result) => [...result.letThroughAt, ...result.refusedAt]);
	const endMs = Math.max(...best, ...moments);
	const frame = { names: [BEST, ...namesOf(results)], endSeconds: endMs / 1000 };
	const steps = [
		...results.flatMap(({ contender, letThroughAt }) =>
			stepsOf(CONTENDERS[contender].title, letThroughAt, endMs),
		),
		...stepsOf(BEST, best, endMs),
	];
	const refusals = results.flatMap(({ contender, refusedAt }) =>
		refusalsOf(CONTENDERS[contender].title, refusedAt),
	);
	return {
		file: 'benchmark-reads.svg',
		part: item.part,
		caption: `${item.title}: requests let through over time, and refusals`,
		spec: {
			...whole,
			title: item.title,
			vconcat: [
				{
					width: WIDTH,
					height: 320,
					data: { values: steps },
					mark: { type: 'line', interpolate: 'step-after', strokeWidth: 2 },
					encoding: {
						x: time(frame, 'Seconds'),
						y: { field: 'count', type: 'quantitative', title: 'Requests let through' },
						color: { ...colour(frame), legend },
						strokeDash: {
							condition: { test: `datum.name === '${BEST}'`, value: [5, 4] },
							value: [1, 0],
						},
					},
				},
				strip(frame, 'Refused', refusals, 'Refused in half a second'),
			],
		},
	};
}

function singlesPlot(item: WorkItem, results: ContenderResult[]): Plot {
	const singles = results.flatMap(({ contender, singles: ofContender = [] }) =>
		ofContender.map((single) => ({ ...single, name: CONTENDERS[contender].title })),
	);
	const waits = singles.flatMap(({ name, atMs, waitMs }) =>
		waitMs === undefined ? [] : [{ name, seconds: atMs / 1000, wait: waitMs / 1000 }],
	);
	const lost = singles
		.filter(({ waitMs }) => waitMs === undefined)
		.map(({ name, atMs }): Step => ({ name, seconds: atMs / 1000, count: 1 }));
	const endSeconds = Math.max(0, ...singles.map(({ atMs }) => atMs / 1000));
	const frame = { names: namesOf(results), endSeconds };
	return {
		file: 'benchmark-singles.svg',
		part: item.part,
		caption: 'How long each single request waited, and which were never let through',
		spec: {
			...whole,
			title: item.title,
			vconcat: [
				{
					width: WIDTH,
					height: 240,
					data: { values: waits },
					mark: { type: 'point', filled: true, size: 45 },
					encoding: {
						x: time(frame, 'Seconds after the batch began'),
						y: { field: 'wait', type: 'quantitative', title: 'Seconds of waiting' },
						color: { ...colour(frame), legend: { ...legend, symbolType: 'circle' } },
					},
				},
				strip(frame, 'Never let through', lost),
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
