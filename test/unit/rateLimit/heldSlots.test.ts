// Slots that one timer gives back: each when it is due, none before.

import * as fc from 'fast-check';

import { HeldSlots } from '../../../nodes/BusinessData/rateLimit/heldSlots';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const arrivals = fc.array(
	fc.record({
		atMs: fc.integer({ min: 0, max: 500 }),
		holdMs: fc.oneof(fc.constant(100), fc.integer({ min: 0, max: 5_000 })),
	}),
	{ minLength: 1, maxLength: 100 },
);

test('gives every slot back when it is due, whatever the order', async () => {
	await fc.assert(
		fc.asyncProperty(arrivals, async (slots) => {
			const onFreed = jest.fn();
			const held = new HeldSlots(onFreed);
			const lateness: number[] = [];
			for (const { atMs, holdMs } of slots) {
				setTimeout(() => {
					const freeAt = performance.now() + holdMs;
					held.add(freeAt, () => lateness.push(performance.now() - freeAt));
				}, atMs);
			}
			await jest.advanceTimersByTimeAsync(500);
			const { freeTimes } = held;
			expect(freeTimes).toEqual([...freeTimes].sort((a, b) => a - b));
			expect(held.count).toBe(slots.length - lateness.length);
			expect(freeTimes).toHaveLength(held.count);
			await jest.advanceTimersByTimeAsync(6_000);
			expect(lateness).toHaveLength(slots.length);
			expect(Math.min(...lateness)).toBeGreaterThanOrEqual(0);
			expect(Math.max(...lateness)).toBeLessThanOrEqual(1);
			expect(onFreed).toHaveBeenCalled();
			expect(held.count).toBe(0);
			expect(jest.getTimerCount()).toBe(0);
		}),
		{ numRuns: 50 },
	);
});

test('a hold that is longer than a timer can be is kept in full', async () => {
	const held = new HeldSlots(() => undefined);
	const giveBack = jest.fn();
	const longMs = 2 ** 31 + 10_000;
	held.add(performance.now() + longMs, giveBack);
	await jest.advanceTimersByTimeAsync(longMs - 1);
	expect(giveBack).not.toHaveBeenCalled();
	await jest.advanceTimersByTimeAsync(2);
	expect(giveBack).toHaveBeenCalledTimes(1);
});
