// Send Once over three processes, each with n8n's engine, one table of n8n's deduplication store and one
// Redis: whatever overlaps, whichever process dies, and also when Redis is emptied.

import { setTimeout as pause } from 'node:timers/promises';

import { playRounds, Round } from '../support/overlapRound';
import { useProcessBench } from '../support/processBench';
import { report } from '../support/report';

const SEED = 2026;
const AT_ONCE = 20;
const ROUNDS_MS = 120_000;
const bench = useProcessBench(3);

const roundsFrom = (first: number, count: number) =>
	Array.from(
		{ length: count },
		(_, index) => new Round(bench.sandbox, bench.start, first + index, SEED),
	);
const all = async (rounds: Round[], play: (round: Round) => Promise<void>) =>
	await Promise.all(rounds.map(play));

test(
	'200 rounds of overlapping executions with faults and stops',
	async () => {
		const startedAt = performance.now();
		await playRounds(roundsFrom(0, 200), AT_ONCE, async (round) => {
			await round.play();
			await round.playAgain();
		});
		const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
		report(`200 rounds in ${seconds} s, ${bench.sandbox.journal.count()} requests`);
	},
	ROUNDS_MS,
);

test(
	'rounds in which a process is killed in mid-send, and another takes its place',
	async () => {
		const sentByTheDead: number[] = [];
		for (const [process] of bench.processes.entries()) {
			const rounds = roundsFrom(200 + 20 * process, 20);
			const played = all(rounds, async (round) => await round.play());
			await pause(200 + 150 * process);
			const replaced = bench.replace(process);
			await played;
			// What meets a lease of the dead process waits for its end here.
			await all(rounds, async (round) => await round.playAgain());
			sentByTheDead.push(rounds.reduce((sum, round) => sum + round.died, 0));
			await replaced;
		}
		report(`Killed with ${sentByTheDead.join(', ')} executions under way`);
		expect(Math.min(...sentByTheDead)).toBeGreaterThan(0);
	},
	ROUNDS_MS,
);

test(
	'rounds between whose runs Redis is emptied',
	async () => {
		const rounds = roundsFrom(300, 40);
		await all(rounds, async (round) => await round.play());
		await bench.redis.flushall();
		await all(rounds, async (round) => await round.playAgain());
	},
	ROUNDS_MS,
);

test(
	'rounds in whose midst Redis is emptied',
	async () => {
		for (let batch = 0; batch < 8; batch++) {
			const rounds = roundsFrom(400 + 8 * batch, 8);
			const played = all(rounds, async (round) => await round.play());
			await pause(20 + 40 * batch);
			await bench.redis.flushall();
			await played;
			await all(rounds, async (round) => await round.playAgain(true));
		}
	},
	ROUNDS_MS,
);
