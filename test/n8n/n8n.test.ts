// The node in a real n8n, as the other files of this folder have one of their own each. Build the package before.
import { builderTests } from './builderTests';
import { databaseTests } from './databaseTests';
import { expressionTests } from './expressionTests';
import { logTest } from './installationTests';
import { parkingTests } from './parkingTests';
import { sendingTests } from './sendingTests';
import { toolTests } from './toolTests';
import { useRealN8n } from './useRealN8n';

const real = useRealN8n('n8n-2');

describe('sending once', () => {
	sendingTests(real);
	databaseTests(real, 'a database that is locked', async () => await real().lockDatabase());
});
describe('an expression', () => expressionTests(real));
describe('waiting for room', () => parkingTests(real, true));
describe('the node as a tool', () => toolTests(real));
describe("n8n's AI builder", () => builderTests(real));
describe('the installed package', () => logTest(real));
