// All tests in a real n8n, in one file, because its start takes longest. Build the package before.
import { agentTests } from './agentTests';
import { cleanUpTests } from './cleanUpTests';
import { contactSyncTests, exampleTests } from './exampleTests';
import { installationTests } from './installationTests';
import { reminderTests } from './reminderTests';
import { sendingTests } from './sendingTests';
import { triggerRestartTests } from './triggerRestartTests';
import { triggerTests } from './triggerTests';
import { useRealN8n } from './useRealN8n';

const real = useRealN8n('n8n-2');

describe('sending once', () => sendingTests(real));
describe('the trigger', () => {
	triggerTests(real);
	triggerRestartTests(real);
});
describe('the example', () => {
	exampleTests(real);
	contactSyncTests(real);
	reminderTests(real);
	cleanUpTests(real);
	agentTests(real);
});
describe('the installed package', () => installationTests(real, 'Four causes are possible'));
