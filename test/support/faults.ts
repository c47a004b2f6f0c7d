/** What can go wrong with a request, for rounds of executions with random faults. */
import type { FaultAction } from '../../sandbox/server';

/** A response with a delay (ms) comes after the short time-out of these rounds. */
const LATE_MS = 320;
const ELSEWHERE = { headers: { location: 'http://127.0.0.1:1/elsewhere' } };
const SOON = { headers: { 'retry-after': '0.1' } };
const LOG_IN_PAGE = {
	body: '<!doctype html><html><title>Log in</title></html>',
	contentType: 'text/html',
};

type Pick = <T>(choices: readonly T[]) => T;

/** A response with one of these statuses, to a request that may have taken effect. */
const status = (codes: number[], more: object = {}, acts = [true, false]) => {
	return (pick: Pick): FaultAction => ({
		...{ type: 'status', status: pick(codes), act: pick(acts) },
		...more,
	});
};
const refuse = (retryAfter: 'none' | 'seconds', waitMs: number) => {
	return (): FaultAction => ({ type: 'refuse', retryAfter, waitMs });
};
const simply = <T extends FaultAction>(action: T) => {
	return (): FaultAction => action;
};
const delay = (...ms: number[]) => {
	return (pick: Pick): FaultAction => ({
		...{ type: 'delay', ms: pick(ms), actFirst: pick([true, false]) },
	});
};

const FAULTS: Array<(pick: Pick) => FaultAction> = [
	refuse('none', 200),
	refuse('seconds', 0),
	status([400, 403, 404, 409, 422], {}, [false]),
	status([401], {}, [false]),
	status([500, 502, 503, 504, 408]),
	status([503], SOON),
	simply({ type: 'hangUpBeforeActing' }),
	simply({ type: 'hangUpAfterActing' }),
	simply({ type: 'truncate' }),
	delay(60),
	delay(LATE_MS, LATE_MS + 50, LATE_MS + 200),
	(pick) => ({ type: 'neverAnswer', act: pick([true, false]) }),
	simply({ type: 'trickle', bytes: 1, everyMs: 100 }),
	status([200], LOG_IN_PAGE),
	simply({ type: 'brokenJson' }),
	simply({ type: 'emptyBody' }),
	status([301, 302, 303], ELSEWHERE),
	status([307, 308], ELSEWHERE, [false]),
];

/** Any of them, with random details. */
export function randomFault(random: () => number): FaultAction {
	const pick: Pick = (choices) => choices[Math.floor(random() * choices.length)] as never;
	return pick(FAULTS)(pick);
}
