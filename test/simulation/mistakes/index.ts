/** All planted mistakes. */
import type { Mistake } from './mistake';
import { MISTAKES_OF_REQUESTS } from './ofRequests';
import { MISTAKES_OF_SEND_ONCE } from './ofSendOnce';
import { MISTAKES_OF_THE_LIMITER } from './ofTheLimiter';

export type { Mistake } from './mistake';

export const MISTAKES: Mistake[] = [
	...MISTAKES_OF_THE_LIMITER,
	...MISTAKES_OF_SEND_ONCE,
	...MISTAKES_OF_REQUESTS,
];
