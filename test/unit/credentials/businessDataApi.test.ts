/** The credential as users fill it in: what its fields give, and what n8n sends with it. */
import { runInNewContext } from 'node:vm';

import { BusinessDataApi } from '../../../credentials/BusinessDataApi.credentials';
import { CREDENTIAL_TYPE, readAccount } from '../../../nodes/BusinessData/transport/account';
import { KEY, requiredFields } from '../transport/examples';

const credential = new BusinessDataApi();

/** What n8n makes of an expression. */
function evaluate(expression: unknown, $credentials: Record<string, unknown>): unknown {
	const [, code = ''] = /^=\{\{(.*)\}\}$/s.exec(String(expression)) ?? [];
	return runInNewContext(code, { $credentials });
}

test('has the name that saved workflows use, and is for the nodes of this package only', () => {
	expect([credential.name, CREDENTIAL_TYPE]).toEqual(['businessDataApi', 'businessDataApi']);
	expect(credential.restrictToSupportedNodes).toBe(true);
});

test('the fields give, by their defaults, the same account as without Customize', () => {
	const defaults = Object.fromEntries(
		credential.properties.map(({ name, default: value }) => [name, value]),
	);
	const account = readAccount({ ...defaults, ...requiredFields });
	const customized = readAccount({ ...defaults, ...requiredFields, customize: true });
	expect(customized).toEqual({ ...account, fields: customized.fields });
});

test.each([KEY, ` ${KEY}\n`])(
	'the key goes into the header x-api-key and nowhere else, as it is checked: %j',
	(apiKey) => {
		const { type, properties } = credential.authenticate;
		expect([type, Object.keys(properties)]).toEqual(['generic', ['headers']]);
		const { 'x-api-key': header, ...others } = properties.headers ?? {};
		expect(others).toEqual({});
		expect(evaluate(header, { apiKey })).toBe(readAccount({ ...requiredFields, apiKey }).apiKey);
	},
);
