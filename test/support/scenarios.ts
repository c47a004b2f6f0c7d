/** Scenarios for n8n's real engine and the simulated one, and a comparable form of their outcome. */
import type { INode, INodeExecutionData } from 'n8n-workflow';

export type Fault = 400 | 500 | 'cutBefore' | 'cutAfter';

export interface Scenario {
	name: string;
	parameters: INode['parameters'];
	settings: Pick<INode, 'onError' | 'retryOnFail' | 'maxTries' | 'waitBetweenTries'>;
	/** Faults of the requests from the second on. */
	faults: Fault[];
	/** How many executions run, one after the other. */
	executions: number;
}

/** The outcome, as far as both engines show it. */
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
