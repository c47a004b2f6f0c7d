// The trigger in a real n8n; these tests mostly wait for its schedule. Build the package before.
import { logTest } from './installationTests';
import { WITH_TASK_RUNNER } from './realN8n';
import { triggerRestartTests } from './triggerRestartTests';
import { triggerTogetherTests } from './triggerTogetherTests';
import { useRealN8n } from './useRealN8n';

const real = useRealN8n('n8n-2', WITH_TASK_RUNNER);

describe('the trigger', () => {
	triggerRestartTests(real);
	triggerTogetherTests(real);
});
describe('the installed package', () => logTest(real));
