// A line that can be left from anywhere.

import { abortController } from '../../../nodes/BusinessData/rateLimit/abort';
import { Gate } from '../../../nodes/BusinessData/rateLimit/gate';
import { WaitingLine } from '../../../nodes/BusinessData/rateLimit/waitingLine';

const never = abortController().signal;

test('lets in one by one, in order', async () => {
	const line = new WaitingLine<string>();
	const waiting = [line.wait(never), line.wait(never)];
	expect(line.length).toBe(2);
	expect([line.letIn('a'), line.letIn('b'), line.letIn('c')]).toEqual([true, true, false]);
	expect(await Promise.all(waiting)).toEqual(['a', 'b']);
	expect(line.length).toBe(0);
});

test.each([[[0]], [[1]], [[2]], [[0, 1]], [[1, 2]], [[0, 2]], [[0, 1, 2]]])(
	'those at %j leave, the others keep their order',
	async (leaving) => {
		const line = new WaitingLine<number>();
		const stops = [0, 1, 2].map(() => abortController());
		const results = stops.map(
			async ({ signal }) => await line.wait(signal).catch((error: Error) => error.message),
		);
		for (const index of leaving) stops[index]?.abort(new Error('left'));
		expect(line.length).toBe(3 - leaving.length);
		const last = line.wait(never);
		let turn = 0;
		while (line.letIn(turn)) turn++;
		let expected = 0;
		const outcomes = [0, 1, 2].map((index) => (leaving.includes(index) ? 'left' : expected++));
		expect(await Promise.all(results)).toEqual(outcomes);
		expect(await last).toBe(expected);
	},
);

test('who was let in has not left, whatever happens then', async () => {
	const line = new WaitingLine<string>();
	const stop = abortController();
	const [first, second] = [line.wait(stop.signal), line.wait(never)];
	line.letIn('first');
	stop.abort(new Error('too late'));
	expect(await first).toBe('first');
	expect(line.length).toBe(1);
	line.letIn('second');
	expect(await second).toBe('second');
});

test('who is no longer wanted does not stand in line', async () => {
	const line = new WaitingLine();
	const stop = abortController();
	stop.abort(new Error('stopped'));
	await expect(line.wait(stop.signal)).rejects.toThrow('stopped');
	expect(line.length).toBe(0);
});

test('thousands that pass the gate leave the event loop its turns', async () => {
	const gate = new Gate();
	let turns = 0;
	let isOver = false;
	const countTurn = () => {
		turns++;
		if (!isOver) setImmediate(countTurn);
	};
	setImmediate(countTurn);
	const passing = Array.from({ length: 2_000 }, async () => {
		await gate.pass(5, never, async () => await Promise.resolve());
	});
	await Promise.all(passing);
	isOver = true;
	expect(turns).toBeGreaterThan(1_900);
});
