/** Scenarios that n8n's real engine and the simulated one both play, and what can be told of their end. */
import type { INode, INodeExecutionData } from 'n8n-workflow';

export type Fault = 400 | 500 | 'cutBefore' | 'cutAfter';

export interface Scenario {
	name: string;
	parameters: INode['parameters'];
	settings: Pick<INode, 'onError' | 'retryOnFail' | 'maxTries' | 'waitBetweenTries'>;
	/** What goes wrong with the requests from the second one on; each but the 400 after acting. */
	faults: Fault[];
	/** How many executions run, one after the other. */
	executions: number;
}

/** What has come of it, as far as both can tell. */
export interface End {
	executions: Array<{ status: string; items: unknown[]; error: unknown }>;
	/** What the service has acted on, in order. */
	acted: string[];
	requests: number;
}

export const ITEMS = ['a', 'b', 'c', 'd'].map((id) => ({ id }));

export function endOf(
	status: string,
	items: INodeExecutionData[],
	context: Record<string, unknown> | undefined,
): End['executions'][number] {
	const reported = [
		'outcome',
		'sentItems',
		'skippedItems',
		'perhapsSentItems',
		'perhapsDeletedItems',
		'itemIndex',
		'failedItems',
		'notTriedItems',
	];
	return {
		status,
		items: items.map(({ json, pairedItem, error }) => ({
			pairedItem,
			isSkipped: json.skipped === true,
			outcome: error?.context?.outcome,
		})),
		error: Object.fromEntries(reported.map((name) => [name, context?.[name]])),
	};
}
