// Expressions without a usable value, in the engine of a real n8n, which evaluates them in an isolate.
import { apiRequest } from '../support/parameters';
import type { RealN8n } from './realN8n';
import { BUSINESS_DATA, inARow, node, startWith } from './workflows';

const NO_VALUE = '{{ $json.missing }} has no value (undefined)';

export function expressionTests(real: () => RealN8n): void {
	test.each([
		['=/contacts/{{ $json.missing }}/lines', `Path: ${NO_VALUE}`],
		['=/contacts/{{ $json.missing }}', `Path: ${NO_VALUE}`],
		['={{ $json.missing }}', `Path: ${NO_VALUE}`],
		['=/on/{{ DateTime.fromISO("x") }}', 'Path: {{ DateTime.fromISO("x") }} is an invalid date'],
		['=/contacts/{{ $json }}', 'Path: {{ $json }} is an object, not a text'],
		['={{ (() => 1) }}', 'Path: has no value ('],
	])('is refused in the path %s before anything is sent', async (path, message) => {
		const { client, sandbox } = real();
		const call = node('Call', BUSINESS_DATA, 1, apiRequest('DELETE', path));
		const workflow = await real().save(inARow(path, [...startWith([{ id: 1 }]), call]));
		const result = await client.runWorkflow(workflow, 'Start');
		expect(result.error).toContain(message);
		expect(sandbox.journal.count()).toBe(0);
	});
}
