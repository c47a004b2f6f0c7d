/** The faults that a request may meet, and what the node may then report of it. */
import type { FaultAction } from '../../sandbox/server';

/** What a node run reports of an item. */
export type Result =
	'done' | 'skipped' | 'notSent' | 'refused' | 'unknown' | 'notTried' | 'canceled' | 'nothing';

/** Seconds. A fault that makes the answer late meets the short one, so that only such requests time out. */
export const SHORT_TIMEOUT = 0.3;
export const LONG_TIMEOUT = 6;

export interface FaultKind {
	name: string;
	action: FaultAction;
	/** How many requests of the item meet it. */
	times: number;
	isLate?: boolean;
	/** What a send may report; it must never be repeated after `unknown`. */
	ofSend: Result[];
	/** What a read may report. */
	ofRead: Result[];
	/** How often it is chosen among the others; default 1. */
	weight?: number;
}

type Random = () => number;

const LOG_IN_PAGE = '<!doctype html><html><title>Log in</title></html>';
const ELSEWHERE = { location: 'http://127.0.0.1:1/elsewhere' };
/** Longer than any window of the run. */
const BEYOND_LIMITS_MS = 3_000;
/** More than the tries of any read. */
const EVERY_TRY = 5;

const isTrue = (random: Random) => random() < 0.5;
const oneOf = <T>(random: Random, choices: readonly T[]): T =>
	choices[Math.floor(random() * choices.length)] as T;

/** A kind that a read survives when it is met fewer than four times, and a send never. */
function passing(
	random: Random,
	name: string,
	action: FaultAction,
	kind: Partial<FaultKind> = {},
): FaultKind {
	const times = oneOf(random, [1, 1, 1, 2, EVERY_TRY]);
	return {
		name,
		action,
		times,
		ofSend: ['unknown'],
		ofRead: times === EVERY_TRY ? ['unknown'] : ['done'],
		...kind,
	};
}

/** A kind whose first answer is final. */
function final(name: string, action: FaultAction, ofSend: Result, ofRead = ofSend): FaultKind {
	return { name, action, times: EVERY_TRY, ofSend: [ofSend], ofRead: [ofRead] };
}

/** One kind of each family, with random details. */
function familiesOf(random: Random): FaultKind[] {
	// In a busy process the next answers may come too late as well.
	const late = { times: 1, isLate: true, ofRead: ['done', 'unknown'] as Result[] };
	const lateMs = SHORT_TIMEOUT * 1000 + 20 + random() * 200;
	const redirectThatMayHaveActed = oneOf(random, [301, 302, 303]);
	const plainRedirect = oneOf(random, [307, 308]);
	const serverError = oneOf(random, [500, 502, 503, 504, 408]);
	const clientError = oneOf(random, [400, 401, 403, 404, 409, 422]);
	const refuse = (retryAfter: 'none' | 'seconds' | 'date'): FaultKind => ({
		name: `429, Retry-After: ${retryAfter}`,
		action: { type: 'refuse', retryAfter, waitMs: 200 },
		times: 1,
		ofSend: ['done'],
		ofRead: ['done'],
		weight: retryAfter === 'none' ? 2 : 0.5,
	});
	return [
		refuse('none'),
		refuse('seconds'),
		refuse('date'),
		{
			name: '429, Retry-After: beyond all limits',
			action: { type: 'refuse', retryAfter: 'seconds', waitMs: BEYOND_LIMITS_MS },
			times: 1,
			ofSend: ['refused'],
			ofRead: ['refused'],
			weight: 0.1,
		},
		{
			name: '429 again and again',
			action: { type: 'refuse', retryAfter: 'none', waitMs: 0 },
			times: Infinity,
			ofSend: ['refused'],
			ofRead: ['refused'],
			weight: 0.3,
		},
		final('4xx', { type: 'status', status: clientError }, 'refused'),
		final('401', { type: 'status', status: 401 }, 'refused'),
		passing(random, '5xx', {
			type: 'status',
			status: serverError,
			act: isTrue(random),
			headers: isTrue(random) ? { 'retry-after': '0.1' } : {},
		}),
		passing(random, 'hang-up before acting', { type: 'hangUpBeforeActing' }),
		passing(random, 'hang-up after acting', { type: 'hangUpAfterActing' }),
		passing(random, 'cut off', { type: 'truncate' }),
		passing(random, 'late', { type: 'delay', ms: lateMs, actFirst: isTrue(random) }, late),
		passing(random, 'no answer', { type: 'neverAnswer', act: isTrue(random) }, late),
		passing(random, 'drop by drop', { type: 'trickle', bytes: 1, everyMs: 100 }, late),
		final('web page', webPage(random), 'unknown'),
		final('broken JSON', { type: 'brokenJson' }, 'unknown'),
		{ ...final('empty body', { type: 'emptyBody' }, 'done'), ofRead: ['done', 'nothing'] },
		final('301–303', redirect(redirectThatMayHaveActed, isTrue(random)), 'unknown', 'refused'),
		final('307–308', redirect(plainRedirect, false), 'refused'),
	];
}

const webPage = (random: Random): FaultAction => ({
	type: 'status',
	status: 200,
	body: LOG_IN_PAGE,
	contentType: 'text/html',
	act: isTrue(random),
});

const redirect = (status: number, act: boolean): FaultAction => ({
	type: 'status',
	status,
	headers: ELSEWHERE,
	act,
});

/** Chosen by hand, a few per run: each takes as much memory as its answer. */
export const HUGE_BODIES: FaultKind[] = [
	{
		name: '50 MB',
		action: { type: 'hugeBody', megabytes: 50 },
		times: 1,
		ofSend: ['done'],
		// A text where a list is due.
		ofRead: ['done', 'unknown'],
	},
	{
		name: 'more than 64 MB',
		action: { type: 'hugeBody', megabytes: 70 },
		times: 1,
		ofSend: ['unknown'],
		ofRead: ['unknown'],
	},
];

/** A random fault. */
export function randomFault(random: Random): FaultKind {
	const families = familiesOf(random);
	const weights = families.map(({ weight = 1 }) => weight);
	let left = random() * weights.reduce((sum, weight) => sum + weight, 0);
	const chosen = families.find((_, index) => (left -= weights[index] ?? 0) < 0);
	return chosen ?? (families[0] as FaultKind);
}

/** The names of all kinds, so that a test can see that each was met. */
export const FAULT_NAMES = [...familiesOf(() => 0), ...HUGE_BODIES].map(({ name }) => name);

/** What the node may report of a request that meets the fault, and of one that does not. */
export function allowedAfter(
	fault: FaultKind | undefined,
	facts: { isRead: boolean; isRetried: boolean; isHurried: boolean },
): Result[] {
	const { isRead, isRetried, isHurried } = facts;
	const allowed = fault === undefined ? ['done' as const] : isRead ? fault.ofRead : fault.ofSend;
	return [
		...allowed,
		// Retry On Fail asks again after a refusal, and after a read that failed.
		...(isRetried && (isRead || allowed.includes('refused')) ? (['done'] as const) : []),
		...(isHurried ? (['notSent'] as const) : []),
	];
}
