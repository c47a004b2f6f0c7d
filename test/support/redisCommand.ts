/** Commands to the servers of a test, by Debian's own `redis-cli`. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const LONGEST_COMMAND_MS = 60_000;

/** What it prints. @throws when it fails */
export async function redisCommand(
	port: number,
	password: string,
	...command: string[]
): Promise<string> {
	const environment = { ...process.env, REDISCLI_AUTH: password };
	const { stdout } = await promisify(execFile)(
		'redis-cli',
		['-h', '127.0.0.1', '-p', String(port), ...command],
		{ env: environment, timeout: LONGEST_COMMAND_MS, killSignal: 'SIGKILL' },
	);
	return stdout.trim();
}
