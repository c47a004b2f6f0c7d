// The windows of an endpoint, where tests of the key limiter do not cover them: a timer that fires early, which request
// makes room, and what delays a request next to other clients.
import { EndpointLimiter } from '../../../nodes/BusinessData/rateLimit/endpointLimiter';
import type { Permit } from '../../../nodes/BusinessData/rateLimit/permit';

const MINUTE = { max: 3, windowMs: 60_000 };

let endpoint: EndpointLimiter;

beforeEach(() => {
	jest.useFakeTimers().advanceTimersByTime(1_000);
	endpoint = new EndpointLimiter('post /a', () => undefined);
});
afterEach(() => jest.useRealTimers());

const pass = async (ms: number) => await jest.advanceTimersByTimeAsync(ms);
const take = (limits = [MINUTE]) => {
	const permit = { countedAt: undefined } as Permit;
	void endpoint.take(permit, limits);
	return permit;
};
const end = (permit: Permit) => {
	permit.countedAt = performance.now();
	endpoint.freeInTime(permit);
};

test('a timer that fires early frees nothing', async () => {
	end(take());
	const now = jest.spyOn(performance, 'now').mockReturnValueOnce(performance.now() + 60_099.5);
	await pass(60_100);
	expect(endpoint.window(MINUTE).used).toBe(1);
	now.mockRestore();
	await pass(1);
	expect(endpoint.window(MINUTE).used).toBe(0);
});

test('a request without limits displaces the oldest counted one', () => {
	const underWay = take();
	const oldest = take([]);
	const newer = take([]);
	end(oldest);
	const newest = take([]);
	expect(endpoint.holders).toEqual([underWay, newer, newest]);
});

describe('the obstacle of a request', () => {
	const { limits } = new EndpointLimiter('', () => undefined).under([MINUTE], 'a');
	const obstacle = (checksWindows = true) => endpoint.obstacle(limits, checksWindows);
	const fill = () => [1, 2, 3].map(() => take());

	test('is a pause rather than a full window', () => {
		fill();
		endpoint.otherClients.pause(limits, 7_000, true);
		expect(obstacle(false)).toEqual({ cause: 'pause', againMs: 7_000 });
		endpoint.otherClients.refused(performance.now());
		expect(obstacle()).toEqual({ cause: 'refusal', againMs: 7_000 });
	});

	test('is, with other clients, the spacing, a full window or a request under way', () => {
		const { otherClients } = endpoint;
		jest.spyOn(otherClients, 'isKnown', 'get').mockReturnValue(true);
		jest.spyOn(otherClients, 'waitMs').mockReturnValueOnce(300).mockReturnValue(0);
		jest.spyOn(otherClients, 'forgottenInMs', 'get').mockReturnValue(15_000);
		const [sent] = fill();
		expect(obstacle()).toEqual({ cause: 'refusal', againMs: 300 });
		expect(obstacle()).toMatchObject({ cause: { name: 'a/60s' }, againMs: 20_000 });
		expect(obstacle(false)).toBeUndefined();
		otherClients.sent(sent as Permit);
		expect(obstacle(false)).toEqual({ cause: 'refusal', againMs: 15_000 });
	});
});
