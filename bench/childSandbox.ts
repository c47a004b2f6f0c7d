// A sandbox in a process of its own, so that none of the contenders shares a processor's turn with the
// service of another. Its parent sends the settings, gets the address, and ends it.
import { type SandboxOptions, startSandbox } from '../sandbox/server';

/** What the process tells its parent once the sandbox listens. */
export interface Listening {
	baseUrl: string;
	/** The moment (ms, Unix time) from which the journal counts. */
	startedAtMs: number;
}

process.once('message', (options: SandboxOptions) => {
	const startedAtMs = performance.timeOrigin + performance.now();
	void startSandbox(options).then(({ baseUrl }) => process.send?.({ baseUrl, startedAtMs }));
});
process.on('disconnect', () => process.exit());
