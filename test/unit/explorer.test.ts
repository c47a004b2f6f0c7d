// The explorer plays every order, and finds a failure that only two faults together cause.

import { explore, type Play, type Scenario } from '../explorer/explorer';

const BOUND = { faults: 0, longestMs: 1_000 };

/** Parties that each reach the given number of points. */
function walkers(
	lengths: number[],
	begin: (play: Play) => void = () => undefined,
	check: () => void = () => undefined,
): Scenario {
	const parties = (play: Play) =>
		lengths.map((length, party) => async () => {
			for (let step = 0; step < length; step++) await play.call(`${party}`, () => undefined);
		});
	return {
		begin: async (play) => {
			begin(play);
			return await Promise.resolve(parties(play));
		},
		check,
	};
}

const factorial = (n: number): number => (n < 2 ? 1 : n * factorial(n - 1));
const ordersOf = (...lengths: number[]) =>
	lengths.reduce(
		(count, length) => count / factorial(length),
		factorial(lengths.reduce((sum, length) => sum + length, 0)),
	);

test.each([[[1]], [[1, 1]], [[2, 2]], [[3, 2, 1]], [[4, 4]]])(
	'parties with %j points are played in every order',
	async (lengths) => {
		const { orders, failure } = await explore(walkers(lengths), BOUND);
		expect([orders, failure]).toEqual([ordersOf(...lengths), undefined]);
	},
);

test('orders that reach the same state are all counted, but continued only once', async () => {
	const { orders, plays } = await explore({ ...walkers([4, 4]), shared: () => '' }, BOUND);
	expect(orders).toBe(ordersOf(4, 4));
	expect(plays).toBeLessThan(orders / 2);
});

test.each([
	[0, 1],
	[1, 1 + 5],
])('with %i reorderings, two parties have %i orders', async (reorderings, expected) => {
	// Without a reordering they take turns; one reordering may come at any point but the last.
	const { orders } = await explore(walkers([3, 3]), { ...BOUND, reorderings });
	expect(orders).toBe(expected);
});

test.each([
	[1, false],
	[2, true],
])('with at most %i faults, a failure that takes two is found: %s', async (faults, fails) => {
	let copies = new Set<string>();
	const begin = (play: Play) => {
		copies = new Set(['one', 'other']);
		for (const copy of copies) play.mayStrike(`${copy} is lost`, () => copies.delete(copy));
	};
	const check = () => expect(copies.size).toBeGreaterThan(0);
	const { failure } = await explore(walkers([1], begin, check), { ...BOUND, faults });
	const strikes = expect.arrayContaining(['one is lost', 'other is lost']) as string[];
	expect(failure?.chosen).toEqual(fails ? strikes : undefined);
});
