/**
 * `npm run test:alone` runs every test file by itself, and none may leave handles open.
 * `npm run test:random` runs all files in ten random orders; `JEST_SEED` repeats one.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { relative } from 'node:path';

const JEST = require.resolve('jest/bin/jest');
const FOLDERS = ['test/unit', 'test/engine'];
const ORDERS = 10;
/** Jest's messages about open handles. */
const LEFT_OPEN = /open handle|did not exit|failed to exit gracefully/;

/** Runs Jest. Prints its output if a test failed or a handle was left open. */
async function run(name: string, parameters: string[]): Promise<boolean> {
	const child = spawn(process.execPath, [JEST, ...parameters], { stdio: 'pipe' });
	let output = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding('utf8').on('data', (text: string) => (output += text));
	}
	const [code] = (await once(child, 'close')) as [number | null];
	const isGood = code === 0 && !LEFT_OPEN.test(output);
	console.log(`${isGood ? 'PASS' : 'FAIL'} ${name}`);
	if (!isGood) console.log(output);
	return isGood;
}

async function alone(): Promise<boolean[]> {
	const list = execFileSync(process.execPath, [JEST, '--listTests', ...FOLDERS]);
	const files = list.toString().trim().split('\n').sort().values();
	const results: boolean[] = [];
	const runRemaining = async () => {
		for (const file of files) {
			const name = relative(process.cwd(), file);
			results.push(
				await run(name, ['--detectOpenHandles', '--runInBand', '--runTestsByPath', name]),
			);
		}
	};
	await Promise.all(Array.from({ length: availableParallelism() }, runRemaining));
	return results;
}

async function inRandomOrder(): Promise<boolean[]> {
	const { JEST_SEED } = process.env;
	const draw = () => Math.floor(Math.random() * 2 ** 31);
	const seeds =
		JEST_SEED === undefined ? Array.from({ length: ORDERS }, draw) : [Number(JEST_SEED)];
	const results: boolean[] = [];
	for (const seed of seeds) {
		results.push(await run(`JEST_SEED=${seed}`, ['--randomize', `--seed=${seed}`, ...FOLDERS]));
	}
	return results;
}

async function main([how]: string[]): Promise<void> {
	const results = await (how === 'alone' ? alone() : inRandomOrder());
	const failed = results.filter((isGood) => !isGood).length;
	console.log(
		`Tests: ${results.length - failed} passed, ${failed} failed, ${results.length} total`,
	);
	if (failed > 0) process.exitCode = 1;
}

void main(process.argv.slice(2));
