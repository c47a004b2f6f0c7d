// A sandbox in a child process, so that no contender shares an event loop with the service of another. The parent
// sends the settings, gets the address, and ends the process.
import { type SandboxOptions, startSandbox } from '../sandbox/server';

/** The message to the parent once the sandbox is listening. */
export interface Listening {
	baseUrl: string;
	/** The start (ms, Unix time) of the journal's clock. */
	startedAtMs: number;
}

process.once('message', (options: SandboxOptions) => {
	const startedAtMs = performance.timeOrigin + performance.now();
	void startSandbox(options).then(({ baseUrl }) => process.send?.({ baseUrl, startedAtMs }));
});
process.on('disconnect', () => process.exit());
