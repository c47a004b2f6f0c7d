// The shortest wait of a request, by the slots in use and the requests ahead.
import { estimateWait, type WindowState } from '../../../nodes/BusinessData/rateLimit/estimate';

const NOW = 1_000_000;
/** How many requests fit, how long (ms) a slot is held, and when (ms from now) each taken slot comes free. */
const window = (room: number, holdMs: number, ...free: number[]) =>
	({ room, holdMs, freeAt: free.map((ms) => NOW + ms) }) as WindowState;

describe('the shortest wait', () => {
	beforeEach(() => void jest.spyOn(performance, 'now').mockReturnValue(NOW));
	afterEach(() => jest.restoreAllMocks());

	const full = [window(3, 100, 30, 10, 20)];
	const two = [window(2, 50, 5), window(3, 100, 70, 80)];

	test.each<[string, WindowState[], number, number, number]>([
		['without limits', [], 5, 5, 0],
		['with room', [window(3, 100, 30)], 1, 1, 0],
		['with room for one request less', [window(3, 100, 30)], 1, 2, 30],
		['for one', full, 0, 1, 10],
		['for none', full, 0, 0, 0],
		['for two at once', full, 0, 2, 20],
		['for more than there is room for', full, 0, 5, 30],
		['behind one', full, 1, 1, 20],
		['behind two', full, 2, 1, 30],
		['behind as many as fit', full, 3, 1, 110],
		['behind four', full, 4, 1, 120],
		['behind two rounds and one', full, 7, 1, 220],
		['for three behind one', full, 1, 3, 110],
		['with a lost slot', [window(2, 100, 30, 150)], 1, 1, 130],
		['in two windows', two, 0, 1, 0],
		['for two in two windows', two, 0, 2, 70],
		['behind one in two windows', two, 1, 1, 70],
		['behind two in two windows', two, 2, 1, 80],
		['behind three in two windows', two, 3, 1, 100],
		['behind three with equally slow windows', [...two, window(3, 100)], 3, 1, 100],
		['behind many with the slowest first', [window(1, 1_000, 400), window(20, 100)], 20, 1, 20_400],
	])('is estimated %s', (_, windows, ahead, count, expected) => {
		expect(estimateWait(windows, ahead, count)).toBe(expected);
		if (count === 1) expect(estimateWait(windows, ahead)).toBe(expected);
	});
});
