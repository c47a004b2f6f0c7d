// The example workflows, and what waits as they do, in a real n8n that is set as n8n 3 will be. Build the package
// before.
import { agentTests } from './agentTests';
import { badMinuteTests } from './badMinuteTests';
import { cleanUpTests } from './cleanUpTests';
import { exampleTests, tableExampleTests } from './exampleTests';
import { installationTests } from './installationTests';
import { NEXT_VERSION_SETTINGS, nextVersionTests } from './nextVersionTests';
import { outboxTests } from './outboxTests';
import { reminderTests } from './reminderTests';
import { WITH_EDITOR } from './realN8n';
import { useRealN8n } from './useRealN8n';

const real = useRealN8n('n8n-2', { ...WITH_EDITOR, ...NEXT_VERSION_SETTINGS });

describe('an update of n8n', () => badMinuteTests(real, ['Down', 'Slow', 'Full']));
describe('the example', () => {
	exampleTests(real);
	tableExampleTests(real);
	reminderTests(real);
	outboxTests(real);
	cleanUpTests(real);
	agentTests(real);
});
describe('n8n 3', () => nextVersionTests(real));
describe('the installed package', () => installationTests(real));
