// A service that tells of its limits in headers: they may only lower what is free here.

import { itemsOf, useBench } from '../support/bench';
import { read, READ_ENDPOINT, send, SEND_ENDPOINT } from '../support/parameters';

const LIMITS = {
	general: [
		{ max: 10, windowSeconds: 0.02 },
		{ max: 100, windowSeconds: 1.2 },
	],
	endpoints: {},
};
const bench = useBench({ limits: LIMITS });

/** The next response carries these headers. */
function tell(headers: Record<string, string>, endpoint = READ_ENDPOINT): void {
	bench.sandbox.fault({
		endpoint,
		action: { type: 'status', status: 200, body: [], headers, act: true },
	});
}
const arrivals = () => bench.sandbox.journal.responded().map(({ atMs }) => atMs);

describe('with Keep Free', () => {
	const keepFree = (percent: number, limits: typeof LIMITS) => {
		Object.assign(bench.credential, { keepFree: percent, limits: JSON.stringify(limits) });
	};

	test.each([
		['that of the credential is no hint', 100, []],
		[
			'that only the share of the credential is like is one',
			80,
			[expect.stringContaining('allows 80 requests per 60 s') as string],
		],
	])('of the policies %s', async (_, max, expected) => {
		keepFree(20, { general: [{ max: 100, windowSeconds: 60 }], endpoints: {} });
		tell({ 'ratelimit-policy': `"minute";q=${max};w=60` });
		const { hints = [] } = (await bench.run([{}], read())).task('Business Data');
		expect(hints.map(({ message }) => message)).toEqual(expected);
	});

	const named = {
		'x-ratelimit-limit': '100',
		'x-ratelimit-remaining': '0',
		'x-ratelimit-reset': '1',
	};
	const draft = { ratelimit: '"minute";r=0;t=1', 'ratelimit-policy': '"minute";q=100;w=60' };
	test.each<[number, Record<string, string>]>([
		[0, named],
		[20, named],
		[20, draft],
	])('%i: a send may tell that nothing is left for all, by %j', async (percent, headers) => {
		keepFree(percent, {
			...LIMITS,
			endpoints: { [SEND_ENDPOINT]: { max: 3, windowSeconds: 1.2 } },
		});
		tell(headers, SEND_ENDPOINT);
		await bench.run(itemsOf(1), send());
		await bench.run([{}], read());
		const [sentAt = 0, readAt = 0] = arrivals();
		expect(readAt - sentAt).toBeGreaterThanOrEqual(900);
	});
});
