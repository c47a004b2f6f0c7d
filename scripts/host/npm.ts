// Runs npm, if possible the one that runs this script, with a given Node.js.
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { startProgram } from './childProcesses';
import { ownEnvironment } from './environment';

const LINES_IN_AN_ERROR = 15;

export interface NpmRun {
	/** The arguments, e.g. `['ci', '--ignore-scripts']`. */
	parameters: string[];
	/** The working folder. */
	folder: string;
	/** Its environment; by default that of this process. */
	environment?: NodeJS.ProcessEnv;
	/** The Node.js that runs it; by default the one that runs this script. */
	nodePath?: string;
	/** Called with every line of its output. */
	onLine?: (line: string) => void;
}

/** The command that starts npm. npm passes the path of its own program to the scripts that it runs. */
function npmCommand(nodePath: string): { command: string; first: string[]; shell: boolean } {
	const program = process.env.npm_execpath;
	if (program !== undefined && basename(program) === 'npm-cli.js') {
		return { command: nodePath, first: [program], shell: false };
	}
	return { command: 'npm', first: [], shell: process.platform === 'win32' };
}

/**
 * Runs npm and waits for its end.
 *
 * @throws An error with npm's last lines if it fails.
 */
export async function runNpm(run: NpmRun): Promise<void> {
	const { command, first, shell } = npmCommand(run.nodePath ?? process.execPath);
	const lastLines: string[] = [];
	const { child, ended } = startProgram(command, [...first, ...run.parameters], {
		cwd: run.folder,
		env: run.environment ?? ownEnvironment(),
		stdio: ['ignore', 'pipe', 'pipe'],
		shell,
	});
	for (const output of [child.stdout, child.stderr]) {
		if (output === null) continue;
		createInterface({ input: output }).on('line', (line) => {
			lastLines.push(line);
			if (lastLines.length > LINES_IN_AN_ERROR) lastLines.shift();
			run.onLine?.(line);
		});
	}
	const { status, signal } = await ended;
	if (status === 0) return;
	throw new Error(
		[
			`npm ${run.parameters.join(' ')} failed (${signal ?? `status ${status}`}) in ${run.folder}:`,
			...lastLines,
		].join('\n'),
	);
}
