// Trigger tests of test/n8n in the oldest supported n8n. Build the package before.
import { badMinuteTests } from '../n8n/badMinuteTests';
import { logTest } from '../n8n/installationTests';
import { triggerRestartTests } from '../n8n/triggerRestartTests';
import { triggerTogetherTests } from '../n8n/triggerTogetherTests';
import { useRealN8n } from '../n8n/useRealN8n';

const real = useRealN8n('n8n-1');

describe('the trigger', () => {
	triggerRestartTests(real);
	triggerTogetherTests(real);
});
describe('an update of n8n', () => badMinuteTests(real, ['Down', 'Full']));
describe('the installed package', () => logTest(real));
