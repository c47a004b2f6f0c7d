// A limiter that only reacts, like the throttling HTTP Request nodes of the community: it sends all requests at once,
// and after a 429 retries a few times, after Retry-After or a fixed wait. Items and workflows share nothing.
const { setTimeout: sleep } = require('node:timers/promises');
const { contenderNode } = require('./contenderNode');

const TOO_MANY_REQUESTS = 429;

/** The wait (ms) in the Retry-After header, in seconds or as a date. */
function retryAfterMs(value = '') {
	if (value.trim() === '') return undefined;
	const seconds = Number(value);
	const milliseconds = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1000;
	return milliseconds > 0 ? milliseconds : undefined;
}

/** The longest wait is in ms, and each wait may be shorter or longer by the share `jitter`. */
const PARAMETERS = { defaultWaitMs: 5_000, longestWaitMs: 300_000, jitter: 0.25, maxRetries: 5 };

exports.ReactiveLimiter = contenderNode('reactiveLimiter', PARAMETERS, (read) => async (send) => {
	let response = await send();
	for (let retry = 0; retry < read('maxRetries'); retry += 1) {
		if (response.statusCode !== TOO_MANY_REQUESTS) break;
		const asked = retryAfterMs(response.headers['retry-after']) ?? read('defaultWaitMs');
		const wait = Math.min(asked, read('longestWaitMs'));
		await sleep(wait * (1 + read('jitter') * (2 * Math.random() - 1)));
		response = await send();
	}
	return response;
});
