// Runs npm, if possible the one that runs this script, with a given Node.js.
import { createWriteStream, type WriteStream } from 'node:fs';
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
	/** A file for its output. */
	logFile?: string;
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

function closed(stream: WriteStream | undefined): Promise<void> {
	return new Promise((resolve) => {
		if (stream === undefined) resolve();
		else stream.end(resolve);
	});
}

/**
 * Runs npm and waits for its end.
 *
 * @throws An error with npm's last lines if it fails.
 */
export async function runNpm(run: NpmRun): Promise<void> {
	const { command, first, shell } = npmCommand(run.nodePath ?? process.execPath);
	const log =
		run.logFile === undefined ? undefined : createWriteStream(run.logFile, { flags: 'a' });
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
			log?.write(`${line}\n`);
			lastLines.push(line);
			if (lastLines.length > LINES_IN_AN_ERROR) lastLines.shift();
			run.onLine?.(line);
		});
	}
	const { status, signal } = await ended.finally(() => closed(log));
	if (status === 0) return;
	throw new Error(
		[
			`npm ${run.parameters.join(' ')} failed (${signal ?? `status ${status}`}) in ${run.folder}:`,
			...lastLines,
			...(run.logFile === undefined ? [] : [`All of its output: ${run.logFile}`]),
		].join('\n'),
	);
}
