// What a user sees first after installing the package: its nodes with their icons and categories, and the
// credential test.
import { cacheFolder } from '../../scripts/host/cache';
import type { RealN8n } from './realN8n';

const CATEGORIES = {
	'n8n-nodes-business-data.businessData': ['Finance & Accounting', 'Sales'],
	'n8n-nodes-business-data.businessDataTrigger': ['Finance & Accounting', 'Sales'],
	// n8n sets this category for every tool.
	'n8n-nodes-business-data.businessDataTool': ['AI'],
};

export function installationTests(real: () => RealN8n): void {
	test('offers its nodes with icons and categories, and one of them as a tool', async () => {
		const all = await real().client.readNodeTypes();
		const types = all.filter(({ name }) => name.startsWith('n8n-nodes-business-data.'));
		const categories = types.map(({ name, codex }) => [name, codex?.categories]);
		expect(Object.fromEntries(categories)).toEqual(CATEGORIES);
		for (const { iconUrl } of types) {
			expect(Object.keys(iconUrl)).toEqual(['light', 'dark']);
			for (const icon of Object.values(iconUrl)) {
				expect(await real().readFile(icon)).toContain('<svg');
			}
		}
	});

	test('tests the credential, and reports a refused API key', async () => {
		const { client, sandbox, credentialId } = real();
		expect(await client.testCredential(credentialId)).toMatchObject({ status: 'OK' });
		expect(sandbox.journal.all()).toMatchObject([{ status: 200 }]);
		sandbox.setKeyState(sandbox.apiKey, 'disabled');
		const { status, message } = await client.testCredential(credentialId);
		expect(status).toBe('Error');
		expect(message).toMatch(
			/^API Key: The service answered 401 Unauthorized.*Four causes are possible: /,
		);
	});

	logTest(real);
}

/** Call it last, because it checks the log of all tests before it. */
export function logTest(real: () => RealN8n): void {
	test('causes no message in the log of n8n', () => {
		// The path of n8n itself contains the name of the package.
		const lines = real().log().replaceAll(cacheFolder(), '').split('\n');
		expect(lines.filter((line) => /business-?data/i.test(line))).toEqual([]);
	});
}
