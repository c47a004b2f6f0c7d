// Runs a sandbox from the command line until it is interrupted.

import { COMMAND_LINE_HELP, readCommandLine } from './commandLine';
import { PROFILES } from './profiles';
import { startSandbox } from './server';

async function run(): Promise<void> {
	const options = readCommandLine(process.argv.slice(2));
	if (options === 'help') {
		process.stdout.write(COMMAND_LINE_HELP);
		return;
	}
	const sandbox = await startSandbox(options);
	process.stdout.write(`Base URL: ${sandbox.baseUrl}\nTest API key: ${sandbox.apiKey}\n`);
	const { options: settings } = PROFILES[options.profile ?? ''] ?? {};
	if (settings !== undefined) process.stdout.write(`Options: ${JSON.stringify(settings)}\n`);
	for (const signal of ['SIGINT', 'SIGTERM'] as const) {
		process.once(signal, () => void sandbox.stop());
	}
}

run().catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exitCode = 1;
});
