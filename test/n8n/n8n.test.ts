// All tests in a real n8n, in one file, because its start takes longest. Build the package before.
import { agentTests } from './agentTests';
import { badMinuteTests } from './badMinuteTests';
import { brokenLineageTests } from './brokenLineageTests';
import { builderTests } from './builderTests';
import { cleanUpTests } from './cleanUpTests';
import { credentialEditTests } from './credentialEditTests';
import { contactSyncTests, exampleTests } from './exampleTests';
import { expressionTests } from './expressionTests';
import { installationTests } from './installationTests';
import { outboxTests } from './outboxTests';
import { overlapTests } from './overlapTests';
import { parkingTests } from './parkingTests';
import { reminderTests } from './reminderTests';
import { sendingTests } from './sendingTests';
import { customApiCallTests, restrictionTests } from './sideDoorTests';
import { toolTests } from './toolTests';
import { triggerIdentityTests } from './triggerIdentityTests';
import { triggerRestartTests } from './triggerRestartTests';
import { triggerTests } from './triggerTests';
import { triggerTogetherTests } from './triggerTogetherTests';
import { useRealN8n } from './useRealN8n';

const real = useRealN8n('n8n-2');

describe('sending once', () => {
	sendingTests(real);
	overlapTests(real);
});
describe('an expression', () => expressionTests(real));
describe('the error output', () => brokenLineageTests(real));
describe('waiting for room', () => parkingTests(real, true));
describe('a credential', () => credentialEditTests(real));
describe('the node as a tool', () => toolTests(real));
describe('the trigger', () => {
	triggerTests(real);
	triggerIdentityTests(real);
	triggerRestartTests(real);
	triggerTogetherTests(real);
});
describe('an update of n8n', () => badMinuteTests(real, ['Down', 'Slow', 'Full']));
describe('the example', () => {
	exampleTests(real);
	contactSyncTests(real);
	reminderTests(real);
	outboxTests(real);
	cleanUpTests(real);
	agentTests(real);
});
describe("n8n's AI builder", () => builderTests(real));
describe('the installed package', () => installationTests(real));
// Last, because n8n logs what it refuses there.
describe('beside the node', () => {
	customApiCallTests(real);
	restrictionTests(real);
});
