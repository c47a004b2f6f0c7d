/** All planted mistakes: those that a seed must find, and those that a test must find. */
import type { Mistake } from './mistake';
import { MISTAKES_OF_REQUESTS } from './ofRequests';
import { MISTAKES_OF_SEND_ONCE } from './ofSendOnce';
import { MISTAKES_OF_THE_LIMITER } from './ofTheLimiter';

export { MISTAKES_FOUND_BY_TESTS } from './foundByTests';
export type { Mistake, MistakeFoundByTest } from './mistake';

export const MISTAKES: Mistake[] = [
	...MISTAKES_OF_THE_LIMITER,
	...MISTAKES_OF_SEND_ONCE,
	...MISTAKES_OF_REQUESTS,
];
