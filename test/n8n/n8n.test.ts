// The node in a real n8n. Each test file of this folder starts its own. Build the package before.
import { builderTests } from './builderTests';
import { databaseTests } from './databaseTests';
import { expressionTests } from './expressionTests';
import { logTest } from './installationTests';
import { parkingTests } from './parkingTests';
import { WITH_TASK_RUNNER } from './realN8n';
import { sendingTests } from './sendingTests';
import { toolTests } from './toolTests';
import { useRealN8n } from './useRealN8n';

const real = useRealN8n('n8n-2', WITH_TASK_RUNNER);

describe('Send Once', () => {
	sendingTests(real);
	databaseTests(real, 'a database that is locked', async () => await real().lockDatabase());
});
describe('an expression without a usable value', () => expressionTests(real));
describe('Wait for Room', () => parkingTests(real, true));
describe('the node as the tool', () => toolTests(real));
describe("n8n's AI builder", () => builderTests(real));
describe('the installed package', () => logTest(real));
