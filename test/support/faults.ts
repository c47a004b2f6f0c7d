/** What can go wrong with a request, and what the node may then report of it; for all tests with random faults. */
import type { FaultAction } from '../../sandbox/server';

/** What a node run reports of an item. */
export type Result =
	'done' | 'skipped' | 'notSent' | 'refused' | 'unknown' | 'notTried' | 'canceled' | 'nothing';

export interface Fault {
	name: string;
	action: FaultAction;
	/** How many requests of the item meet it. */
	times: number;
	/** Whether the response comes after the short timeout. */
	isLate: boolean;
	/** What a send may report; it must never be retried after `unknown`. */
	ofSend: Result[];
	/** What a read may report. */
	ofRead: Result[];
}

export type Random = () => number;

/** Seconds. A fault that makes the response late meets the short one. */
export const SHORT_TIMEOUT = 0.3;
export const LONG_TIMEOUT = 6;

/** More than the attempts of any read. */
const ALWAYS = 5;
/** From once to every time. A read survives what it meets fewer than four times, a send nothing. */
const SOME = [1, 1, 1, 2, ALWAYS];
/** More than any limit lasts. */
const BEYOND_LIMITS_MS = 1_000_000;
const LATE_MS = SHORT_TIMEOUT * 1_000 + 20;
const ELSEWHERE = { headers: { location: 'http://127.0.0.1:1/elsewhere' } };
const SOON = { headers: { 'retry-after': '0.1' } };
const LOG_IN_PAGE = {
	body: '<!doctype html><html><title>Log in</title></html>',
	contentType: 'text/html',
};

type Pick = <T>(choices: readonly T[]) => T;
type Kind = [
	name: string,
	/** How often it is chosen among the others. */
	weight: number,
	times: number | number[],
	ofSend: Result,
	/** Unless the times say it. */
	ofRead: Result[] | undefined,
	action: (pick: Pick) => FaultAction,
	isLate?: boolean,
];

const refuse = (retryAfter: 'none' | 'seconds' | 'date', waitMs = 200) => {
	return (): FaultAction => ({ type: 'refuse', retryAfter, waitMs });
};
/** A response with one of these statuses, to a request that may have taken effect. */
const status = (codes: number[], more: object = {}, acts = [true, false]) => {
	return (pick: Pick): FaultAction => ({
		type: 'status',
		status: pick(codes),
		act: pick(acts),
		...more,
	});
};
const simply = (type: 'hangUpBeforeActing' | 'hangUpAfterActing' | 'truncate') => {
	return (): FaultAction => ({ type });
};
const delay = (...ms: number[]) => {
	return (pick: Pick): FaultAction => ({
		type: 'delay',
		ms: pick(ms),
		actFirst: pick([true, false]),
	});
};
const silent = (pick: Pick): FaultAction => ({ type: 'neverAnswer', act: pick([true, false]) });
const trickle = (): FaultAction => ({ type: 'trickle', bytes: 1, everyMs: 100 });
const huge = (megabytes: number) => (): FaultAction => ({ type: 'hugeBody', megabytes });

const never = [false];
const unknown: Result[] = ['unknown'];
const refused: Result[] = ['refused'];
const done: Result[] = ['done'];

const KINDS: Kind[] = [
	['429, Retry-After: none', 2, 1, 'done', done, refuse('none')],
	['429, Retry-After: seconds', 0.5, 1, 'done', done, refuse('seconds')],
	['429, Retry-After: 0', 0.5, 1, 'done', done, refuse('seconds', 0)],
	['429, Retry-After: date', 0.5, 1, 'done', done, refuse('date')],
	// Of all others of the key, too.
	['429, too long', 0, 1, 'refused', refused, refuse('seconds', BEYOND_LIMITS_MS)],
	['429 again and again', 0.3, Infinity, 'refused', refused, refuse('none', 0)],
	['4xx', 1, ALWAYS, 'refused', refused, status([400, 403, 404, 409, 422], {}, never)],
	['401', 1, ALWAYS, 'refused', refused, status([401], {}, never)],
	['5xx', 1, SOME, 'unknown', undefined, status([500, 502, 503, 504, 408])],
	['503, Retry-After', 0.5, SOME, 'unknown', undefined, status([503], SOON)],
	['hang-up before acting', 1, SOME, 'unknown', undefined, simply('hangUpBeforeActing')],
	['hang-up after acting', 1, SOME, 'unknown', undefined, simply('hangUpAfterActing')],
	['cut off', 1, SOME, 'unknown', undefined, simply('truncate')],
	['slow', 1, 1, 'done', done, delay(60)],
	['late', 1, 1, 'unknown', done, delay(LATE_MS, LATE_MS + 50, LATE_MS + 200), true],
	['no response', 1, 1, 'unknown', done, silent, true],
	['drop by drop', 1, 1, 'unknown', done, trickle, true],
	['web page', 1, ALWAYS, 'unknown', unknown, status([200], LOG_IN_PAGE)],
	['broken JSON', 1, ALWAYS, 'done', unknown, () => ({ type: 'brokenJson' })],
	['empty body', 1, ALWAYS, 'done', ['done', 'nothing'], () => ({ type: 'emptyBody' })],
	['301–303', 1, ALWAYS, 'unknown', refused, status([301, 302, 303], ELSEWHERE)],
	['307–308', 1, ALWAYS, 'refused', refused, status([307, 308], ELSEWHERE, never)],
	// A text where a list may be due.
	['50 MB', 0, 1, 'done', ['done', 'unknown'], huge(50)],
	['more than 64 MB', 0, 1, 'done', unknown, huge(70)],
];

export const FAULT_NAMES = KINDS.map(([name]) => name);

/** A fault with random details: the one of that name, or any. */
export function randomFault(random: Random, wanted?: string): Fault {
	const pick: Pick = (choices) => choices[Math.floor(random() * choices.length)] as never;
	let left = random() * KINDS.reduce((sum, [, weight]) => sum + weight, 0);
	const isChosen = ([name, weight]: Kind) =>
		wanted === undefined ? (left -= weight) < 0 : name === wanted;
	const [name, , times, ofSend, ofRead, action, isLate = false] = KINDS.find(isChosen) as Kind;
	const chosen = typeof times === 'number' ? times : pick(times);
	return {
		name,
		action: action(pick),
		times: chosen,
		isLate,
		ofSend: [ofSend],
		ofRead: ofRead ?? [chosen === ALWAYS ? 'unknown' : 'done'],
	};
}
