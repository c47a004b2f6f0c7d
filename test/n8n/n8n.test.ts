// All tests in a real n8n, in one file, because its start takes longest. Build the package before.
import { Cleanup } from '../../scripts/cleanup';
import { agentTests } from './agentTests';
import { cleanUpTests } from './cleanUpTests';
import { exampleTests } from './exampleTests';
import { RealN8n } from './realN8n';
import { reminderTests } from './reminderTests';
import { sendingTests } from './sendingTests';
import { triggerTests } from './triggerTests';

// The first start on a machine installs n8n.
const MINUTES_FOR_THE_START = 15;

jest.setTimeout(180_000);

const cleanup = new Cleanup();
let started: RealN8n | undefined;

function real(): RealN8n {
	if (started === undefined) throw new Error('n8n is not running');
	return started;
}

beforeAll(async () => {
	started = await RealN8n.start(cleanup);
}, MINUTES_FOR_THE_START * 60_000);

afterAll(async () => {
	await cleanup.run();
}, 120_000);

describe('sending once', () => sendingTests(real));
describe('the trigger', () => triggerTests(real));
describe('the example', () => {
	exampleTests(real);
	reminderTests(real);
	cleanUpTests(real);
	agentTests(real);
});
