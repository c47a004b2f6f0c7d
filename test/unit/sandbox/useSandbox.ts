/** A sandbox for each test of a file, or of a part of it. */
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox/server';

export function useSandbox(options: SandboxOptions): () => Sandbox {
	let sandbox: Sandbox;
	beforeEach(async () => {
		sandbox = await startSandbox(options);
	});
	afterEach(async () => await sandbox.stop());
	return () => sandbox;
}
