// What must hold in the simulation whenever a fault strikes: each play has one at each of its moments.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { DIRECTED_PLAYS } from '../../simulation/directed/plays';

let wrong: Record<string, unknown>;

beforeAll(async () => {
	const program = join(__dirname, '../../simulation/directed/main.ts');
	const parameters = ['--max-semi-space-size=64', '--import', 'tsx', program];
	const { stdout } = await promisify(execFile)(process.execPath, parameters);
	wrong = JSON.parse(stdout) as Record<string, unknown>;
});

test.each(DIRECTED_PLAYS)('$name', ({ name }) => {
	expect(wrong[name]).toEqual([]);
});
