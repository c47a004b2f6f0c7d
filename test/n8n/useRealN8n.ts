// Starts one real n8n for all tests of a file, because its start takes longest.
import type { LimitTable } from '../../sandbox/limits';
import { type Sandbox, startSandbox } from '../../sandbox/server';
import { Cleanup } from '../../scripts/cleanup';
import type { HostName } from '../../scripts/host/hosts';
import { RealN8n } from './realN8n';

// The first start on a machine installs n8n.
const MINUTES_FOR_THE_START = 30;
const SECONDS_FOR_THE_END = 300;
const SECONDS_FOR_A_TEST = 1_800;

type Environment = Record<string, string>;

/**
 * Starts n8n before the tests of a file and stops it after them, and resets the sandbox before each test. Returns a
 * function that returns the running n8n.
 * @param environment settings of n8n, or a function that starts what n8n needs and returns the settings
 */
export function useRealN8n(
	version: HostName,
	environment: Environment | ((cleanup: Cleanup) => Promise<Environment>) = {},
): () => RealN8n {
	const cleanup = new Cleanup();
	let started: RealN8n | undefined;
	jest.setTimeout(SECONDS_FOR_A_TEST * 1000);
	beforeAll(async () => {
		const settings = typeof environment === 'function' ? await environment(cleanup) : environment;
		started = await RealN8n.start(version, cleanup, settings);
	}, MINUTES_FOR_THE_START * 60_000);
	// If a test fails while n8n is down, the tests after it must not fail too.
	beforeEach(async () => {
		if (started?.isRunning === false) await started.startAgain();
		started?.sandbox.reset();
	});
	afterEach(async () => {
		if (started?.isRunning === true) await started.unpublishAll();
	});
	afterAll(async () => {
		await cleanup.run();
	}, SECONDS_FOR_THE_END * 1000);
	return () => {
		if (started === undefined) throw new Error('n8n is not running');
		return started;
	};
}

interface LimitedSandbox {
	sandbox: Sandbox;
	/** The ID of the credential for the sandbox, by credential type. */
	credentialIds: { businessDataApi: string };
}

/** Starts a sandbox with its own limits for a block of tests. Use the result only inside tests. */
export function useLimitedSandbox(
	real: () => RealN8n,
	credentialName: string,
	limits: LimitTable,
): LimitedSandbox {
	const limited = {} as LimitedSandbox;
	beforeAll(async () => {
		limited.sandbox = await startSandbox({ limits, windowMode: 'both' });
		const id = await real().saveCredentialFor(credentialName, limited.sandbox, limits);
		limited.credentialIds = { businessDataApi: id };
	});
	afterAll(async () => await limited.sandbox.stop());
	return limited;
}
