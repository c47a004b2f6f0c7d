// Parses the arguments of `npm run bench`.
import { parseArgs } from 'node:util';
import { WORK_ITEMS, type WorkItem } from './workItems';

export const BENCH_HELP = `Usage: npm run bench [-- options]

  --quick          a first response in less than five minutes, printed only
  --only <ids>     these work items only, separated by commas, printed only:
                   ${WORK_ITEMS.map(({ id }) => id).join(', ')}
                   (other-client-queue-… need redis-server)
  --save <file>    keep the results as JSON
  --from <file>    make the page from kept results, without running anything
  --help           show this text
`;

export interface BenchOptions {
	items: WorkItem[];
	/** Whether all work items run, so that the page is written instead of only printed. */
	isWhole: boolean;
	save?: string;
	from?: string;
	help: boolean;
}

/** Removes a contender that takes minutes longer than all others. */
function withoutTheSlow(item: WorkItem): WorkItem {
	return { ...item, contenders: item.contenders.filter((one) => one !== 'reactiveRetryAfter') };
}

/** @throws an error that names an invalid argument */
export function readBenchOptions(parameters: string[]): BenchOptions {
	const { values } = parseArgs({
		args: parameters,
		options: {
			quick: { type: 'boolean', default: false },
			only: { type: 'string' },
			save: { type: 'string' },
			from: { type: 'string' },
			help: { type: 'boolean', default: false },
		},
	});
	const { quick, only, save, from, help } = values;
	const wanted = only?.split(',').map((id) => id.trim());
	const known = WORK_ITEMS.map(({ id }) => id);
	const unknown = wanted?.find((id) => !known.includes(id));
	if (unknown !== undefined) {
		throw new Error(`--only: there is no work item "${unknown}". There are: ${known.join(', ')}.`);
	}
	const items = WORK_ITEMS.filter(({ id, isQuick }) => wanted?.includes(id) ?? (isQuick || !quick));
	return {
		items: quick ? items.map(withoutTheSlow) : items,
		isWhole: !quick && wanted === undefined,
		save,
		from,
		help,
	};
}
