/** Sent Document: what a user asks of a Send Once Key, and changes. */
import { type Bench, errorOf, NODE } from './bench';
import { send, sentDocument } from './parameters';

/** The states of keys of Transaction → Send. */
export async function statesOf(bench: Bench, keys: string[]): Promise<unknown[]> {
	const result = await bench.run(
		keys.map((id) => ({ id })),
		sentDocument('get'),
	);
	expect(result.run.status).toBe('success');
	return result.json(NODE).map(({ state }) => state);
}

/**
 * What happens to one key, step by step, and what the last step gives. A and B are sends of different content; the
 * response of `lostB` is lost, and the service refuses `refusedB`.
 */
export const STEPS_OF_A_KEY: Array<[steps: string, last: string]> = [
	['A B', 'other content'],
	['A release B A', 'other content'],
	['A release B B', 'sent before'],
	['A release lostB A', 'other content'],
	['A release lostB B', 'perhaps sent before'],
	['A release refusedB A', 'sent'],
	['A mark B', 'sent before'],
	['A release mark B', 'sent before'],
	['mark release B A', 'other content'],
];

/** Plays such steps with a key of their own, and returns what the last one gives. */
export async function playSteps(bench: Bench, steps: string): Promise<string> {
	let last = '';
	for (const step of steps.split(' ')) {
		const [, fault, content] = /^(lost|refused|)([AB])$/.exec(step) ?? [];
		if (fault === 'lost') bench.sandbox.fault({ action: { type: 'hangUpAfterActing' } });
		if (fault === 'refused') bench.sandbox.fault({ action: { type: 'status', status: 400 } });
		const byHand = sentDocument(step === 'mark' ? 'markAsSent' : 'release');
		const parameters = content === undefined ? byHand : send({ sendOnceKey: '={{ $json.id }}' });
		const result = await bench.run([{ id: steps, content: content ?? '' }], parameters);
		const isFault = fault !== undefined && fault !== '';
		if (isFault || result.run.status === 'error') {
			const { message, context } = errorOf(result);
			last = message.includes('with other content') ? 'other content' : String(context.outcome);
		} else {
			const { skipped = false, state = '' } = result.json(NODE)[0] ?? {};
			const before = state === 'sent' ? 'sent before' : 'perhaps sent before';
			last = skipped === true ? before : 'sent';
		}
	}
	return last;
}
