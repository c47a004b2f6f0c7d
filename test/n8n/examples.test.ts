// The example workflows, in a real n8n with the settings that n8n 3 will have. Build the package before.
import { agentTests } from './agentTests';
import { badMinuteTests } from './badMinuteTests';
import { cleanUpTests } from './cleanUpTests';
import { exampleTests, tableExampleTests } from './exampleTests';
import { installationTests } from './installationTests';
import { NEXT_VERSION_SETTINGS, nextVersionTests } from './nextVersionTests';
import { outboxTests } from './outboxTests';
import { reminderTests } from './reminderTests';
import { WITH_EDITOR, WITH_TASK_RUNNER } from './realN8n';
import { useRealN8n } from './useRealN8n';

const real = useRealN8n('n8n-2', {
	...WITH_EDITOR,
	...WITH_TASK_RUNNER,
	...NEXT_VERSION_SETTINGS,
});

describe('an update of n8n', () => badMinuteTests(real, ['Down', 'Slow', 'Full']));
describe('the example workflow', () => {
	exampleTests(real);
	tableExampleTests(real);
	reminderTests(real);
	outboxTests(real);
	cleanUpTests(real);
	agentTests(real);
});
describe('with the settings of n8n 3', () => nextVersionTests(real));
describe('the installed package', () => installationTests(real));
