/** Leaves out of a failing plan whatever it fails without, in the same way. */
import { type Outcome, playPlan } from '../play';
import type { Plan } from '../scenario/plan';
import type { Equipment } from '../scenario/played';

interface PlayedPlan {
	plan: Plan;
	outcome: Outcome;
}

/** The parts of a plan that can be left out, each a list. */
type Part = (plan: Plan) => {
	length: number;
	/** The plan with those of the list that are to be kept. */
	keep(isKept: (index: number) => boolean): Plan;
};

const PARTS: Part[] = [
	({ faults, ...plan }) => listPart(faults, (kept) => ({ ...plan, faults: kept })),
	({ executions, ...plan }) => listPart(executions, (kept) => ({ ...plan, executions: kept })),
	itemsOfAll,
];

function listPart<T>(list: T[], planWith: (kept: T[]) => Plan): ReturnType<Part> {
	return {
		length: list.length,
		keep: (isKept) => planWith(list.filter((_, index) => isKept(index))),
	};
}

/** The items of all executions, as one list. */
function itemsOfAll(plan: Plan): ReturnType<Part> {
	const counts = plan.executions.map(({ items }) => items.length);
	return {
		length: counts.reduce((sum, count) => sum + count, 0),
		keep: (isKept) => {
			let index = 0;
			const executions = plan.executions
				.map((one) => ({ ...one, items: one.items.filter(() => isKept(index++)) }))
				.filter(({ items }) => items.length > 0);
			return { ...plan, executions };
		},
	};
}

/** @param kind of the failure that must stay */
export async function shortened(
	first: PlayedPlan,
	kind: string,
	equipment: Equipment,
): Promise<PlayedPlan> {
	let shortest = first;
	let isShorter = true;
	const tryWith = async (plan: Plan): Promise<boolean> => {
		const outcome = await playPlan(plan, equipment);
		if (!outcome.violations.some((violation) => violation.kind === kind)) return false;
		shortest = { plan, outcome };
		return (isShorter = true);
	};
	while (isShorter) {
		isShorter = false;
		for (const part of PARTS) await shortenPart(part, () => shortest.plan, tryWith);
	}
	return shortest;
}

/** Leaves out half of the list, then smaller and smaller stretches of it. */
async function shortenPart(
	part: Part,
	current: () => Plan,
	tryWith: (plan: Plan) => Promise<boolean>,
): Promise<void> {
	for (let size = part(current()).length; size >= 1; size = Math.floor(size / 2)) {
		for (let from = 0; from < part(current()).length;) {
			const isKept = (index: number) => index < from || index >= from + size;
			if (!(await tryWith(part(current()).keep(isKept)))) from += size;
		}
	}
}
