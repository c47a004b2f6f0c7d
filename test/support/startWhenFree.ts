import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/server';
import { reallyWait, realNow } from './logicalTime';

/** How long (ms) a suite that runs beside this one may have the same port. */
const LONGEST_MS = 20_000;

/** Starts a sandbox, as soon as its port is free. */
export async function startWhenFree(options: SandboxOptions): Promise<Sandbox> {
	const deadline = realNow() + LONGEST_MS;
	for (;;) {
		try {
			return await startSandbox(options);
		} catch (error) {
			const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
			if (!isTaken || realNow() > deadline) throw error;
			await reallyWait(50);
		}
	}
}
