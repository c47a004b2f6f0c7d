// The guard of one document, on n8n's own store, in logical time; `orders` covers two runs in every order.
import type { INodeCredentials } from 'n8n-workflow';

import { abortController, KeyedMutex } from '../../../nodes/BusinessData/async';
import type { Run } from '../../../nodes/BusinessData/run/run';
import { type KeyedDocument, SendOnce } from '../../../nodes/BusinessData/sendOnce/sendOnce';
import { processState } from '../../../nodes/BusinessData/sendOnce/processState';
import type { SentState } from '../../../nodes/BusinessData/transport/serviceRequest';
import { CREDENTIAL_TYPE } from '../../../nodes/BusinessData/transport/account';
import { InvalidSettingError } from '../../../nodes/BusinessData/values/invalidSettingError';
import { useDeduplicator } from '../../support/deduplicator';
import { after, passTime } from '../../support/logicalTime';
import { send } from '../transport/examples';

const table = useDeduplicator();
beforeEach(() => {
	jest.useFakeTimers();
	table.latencyMs = () => 2;
	// A test may end while a lease is held, or a row is still being repaired.
	const none = { leases: new Map(), outcomeMutex: new KeyedMutex(), watched: new Map() };
	Object.assign(processState(), none);
});
afterEach(() => {
	jest.clearAllTimers();
	jest.useRealTimers();
	jest.restoreAllMocks();
});

const content = { hash: 'content', mustMatch: true };
const other = { ...content, hash: 'other' };

function guard(
	changes: Partial<KeyedDocument> = {},
	{ baseUrl = 'https://one.example', idempotencyHeader = '', id = 'credential' } = {},
): SendOnce {
	const credentials: INodeCredentials = { [CREDENTIAL_TYPE]: { id, name: '' } };
	const account = { baseUrl, idempotencyHeader };
	const { signal } = abortController();
	const run = { context: { getNode: () => ({ credentials }) }, account, signal };
	const document = { workflowId: 'workflow', key: 'invoice 1', endpoint: send.endpoint, content };
	return new SendOnce(run as unknown as Run, { ...document, ...changes });
}
const pass = async <T>(work: Promise<T>) => await passTime(work, 3_600_000);
/** The state that a new run finds. */
const found = async (changes?: Partial<KeyedDocument>) => await pass(guard(changes).get());
const ended = expect.objectContaining({ ended: expect.any(Promise) as unknown }) as unknown;

async function sent(state: SentState, changes: Partial<KeyedDocument> = {}): Promise<SendOnce> {
	const one = guard(changes);
	expect(await pass(one.acquire())).toBeUndefined();
	await pass(one.complete(state));
	return one;
}

test('without Send Once Memory, only the row of the key itself is stored', async () => {
	await sent('sent');
	expect(await pass(table.find())).toHaveLength(1);
	await sent('sent', { key: 'invoice 2', maxEntries: 5 });
	expect(await pass(table.find())).toHaveLength(3);
});

test('a sender that has not acquired the key records nothing', async () => {
	await pass(guard({ maxEntries: 5 }).complete('sent'));
	expect(table.text).toBe('');
	const one = await sent('notSent');
	await pass(one.complete('sent'));
	expect(table.text).toBe('');
});

test.each<[string, Partial<KeyedDocument>, Partial<KeyedDocument>, string]>([
	['the same content', {}, {}, 'sent'],
	['other content', { content: other }, {}, 'invoice 1 was used before, with other content'],
	['other content that is ignored', { content: { ...other, mustMatch: false } }, {}, 'sent'],
	['no content', { content: undefined }, {}, 'sent'],
	['content for a key sent without it', {}, { content: undefined }, 'invoice 1 was used before'],
	['another name', { key: 'invoice 2' }, {}, 'notSent'],
])('%s has the same state after a send and in a Dry Run', async (_, changes, earlier, expected) => {
	const finding = async (before?: SendOnce[]) =>
		await pass(
			guard(changes)
				.get(before)
				.catch((error: unknown) => error),
		);
	const before = [guard({ key: 'invoice 0' }), guard(earlier)];
	const inDryRun = await finding(before);
	expect(await finding()).toBe('notSent');
	await sent('sent', earlier);
	for (const result of [inDryRun, await finding()]) {
		if (typeof result === 'string') expect(result).toBe(expected);
		else expect((result as InvalidSettingError).message).toContain(`Send Once Key: ${expected}`);
	}
});

test.each<[string, Parameters<typeof guard>]>([
	['key', [{ key: 'invoice 2' }]],
	['workflow', [{ workflowId: 'other' }]],
	['endpoint', [{ endpoint: { method: 'POST', path: '/other' } }]],
	['base URL', [{}, { baseUrl: 'https://two.example' }]],
	['credential', [{}, { id: 'other' }]],
])('another %s makes another document, with another idempotency key', async (_, parameters) => {
	await sent('sent');
	expect(guard().idempotencyKey).toBe(guard({ content: other }).idempotencyKey);
	const another = guard(...parameters);
	expect(another.idempotencyKey).not.toBe(guard().idempotencyKey);
	expect(await pass(another.get())).toBe('notSent');
});

test('the database of n8n shows neither the key nor the business', async () => {
	const one = await sent('sent', { maxEntries: 5 });
	expect(table.text).not.toMatch(/invoice|example|credential/);
	expect(table.text).not.toContain(one.idempotencyKey);
});

describe('a change by hand', () => {
	test('that fails keeps the key from others until it cannot land late', async () => {
		await sent('perhapsSent');
		table.fail('write', { moment: 'late' });
		await expect(pass(guard().change('notSent'))).rejects.toThrow('deduplication store failed');
		expect(await pass(guard().acquire())).toEqual(ended);
		await pass(after(5_000));
		await sent('sent');
		expect(await found()).toBe('sent');
	});

	test.each([
		['can release', 'notSent', ['sent', 'notSent', 'sent']],
		['can mark', 'sent', ['notSent', 'sent', 'sent']],
	] as const)('%s the newest of two remembered keys', async (_, change, expected) => {
		const keys = ['a', 'b', 'c'].map((key) => ({ key, maxEntries: 2 }));
		for (const one of keys.slice(0, 2)) await sent('sent', one);
		await pass(guard(keys[1]).change(change));
		await sent('sent', keys[2]);
		const states: unknown[] = [];
		for (const one of keys) states.push(await found(one));
		expect(states).toEqual(expected);
	});
});

test.each(['', '__EMPTY__'])('a workflow with the ID %j is refused as not saved', (workflowId) => {
	const creating = () => guard({ workflowId });
	expect(creating).toThrow(InvalidSettingError);
	expect(creating).toThrow('Send Once Key: the workflow is not saved yet');
	// As in n8n's agents, whose tools belong to no workflow.
	const description = expect.stringContaining('give it a workflow as its tool') as string;
	expect(creating).toThrow(expect.objectContaining({ description }) as Error);
});
