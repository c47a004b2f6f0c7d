// What a user meets first once the package is installed: its nodes with their icons and categories, and
// the credential's test.
import { cacheFolder } from '../../scripts/host/cache';
import type { RealN8n } from './realN8n';

const CATEGORIES = {
	'n8n-nodes-business-data.businessData': ['Finance & Accounting', 'Sales'],
	'n8n-nodes-business-data.businessDataTrigger': ['Finance & Accounting', 'Sales'],
	// n8n's own for every tool.
	'n8n-nodes-business-data.businessDataTool': ['AI'],
};

export function installationTests(real: () => RealN8n): void {
	test('the nodes are offered with icons and categories, and as a tool', async () => {
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

	test('the credential can be tested, and a refused key shows', async () => {
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

/** Of all that was done in this n8n until then. */
export function logTest(real: () => RealN8n): void {
	test('n8n has nothing to say against the package', () => {
		// n8n itself is in a folder of the package's name.
		const lines = real().log().replaceAll(cacheFolder(), '').split('\n');
		expect(lines.filter((line) => /business-?data/i.test(line))).toEqual([]);
	});
}
