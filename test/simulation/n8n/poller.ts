/**
 * A published trigger: polls when n8n's schedule says so, whether the last poll is over or not. It has a durable
 * cursor, as n8n 2.x calls it: what a poll remembers is saved when it has succeeded.
 */
import type { INodeExecutionData, INodeType } from 'n8n-workflow';

import type { Host } from './host';
import { valueAt } from './parameters';
import { type SavedNode, TRIGGER_TYPE } from './workflow';

/** The time for a poll (ms) of n8n's durable scheduler, whose polls are none of an activation. */
const POLL_BUDGET_MS = 240_000;

/** What n8n's database has of the triggers, by their ID. */
export type SavedStaticData = Map<string, string>;

/** The business of the credential, once it was read. */
interface WatchedList {
	business?: string;
}

export interface PollResult {
	trigger: string;
	process: string;
	/** Whose list it asked for. */
	asked: WatchedList;
	from: number;
	to: number;
	events?: Array<Record<string, unknown>>;
	error?: unknown;
}

export class Poller {
	/** How many polls are under way. */
	underWay = 0;

	private readonly nodeType: INodeType;

	/** n8n makes one for all polls. */
	private readonly context: object;

	private staticData: Record<string, unknown> = {};

	/** By the poll that began last. */
	private asked: WatchedList = {};

	private polls = 0;

	constructor(
		private readonly host: Host,
		private readonly node: SavedNode,
		private readonly saved: SavedStaticData,
		private readonly onEnd: (result: PollResult) => void,
	) {
		this.nodeType = host.nodeType('BusinessDataTrigger', 0);
		this.context = this.makeContext();
	}

	async poll(): Promise<void> {
		const { process } = this.host;
		const from = process.world.now;
		this.asked = {};
		const result = { trigger: this.node.id, process: process.name, asked: this.asked, from };
		const { JSON: realmJson } = process.realm.global;
		const saved = this.saved.get(this.node.id) ?? '{}';
		const staticData = realmJson.parse(saved) as Record<string, unknown>;
		this.staticData = staticData;
		this.polls++;
		this.underWay++;
		try {
			const output = (await this.nodeType.poll?.call(this.context as never)) as
				INodeExecutionData[][] | null;
			const events = (output?.[0] ?? []).map(({ json }) => json);
			this.saved.set(this.node.id, JSON.stringify(staticData));
			this.onEnd({ ...result, to: process.world.now, events });
		} catch (error) {
			this.onEnd({ ...result, to: process.world.now, error });
		} finally {
			this.underWay--;
		}
	}

	private makeContext(): object {
		const { node, host } = this;
		const execution = () => `${node.id}.${host.process.name}.${this.polls}`;
		return Object.defineProperties(
			{
				...host.common(node, TRIGGER_TYPE),
				getCredentials: async () => {
					const { asked } = this;
					const fields = await host.credential(node.credential);
					asked.business = `${node.credential} ${String(fields.baseUrl)}`;
					return fields;
				},
				getMode: () => 'trigger',
				getActivationMode: () => 'activate',
				getPollBudgetMs: () => POLL_BUDGET_MS,
				getWorkflowStaticData: () => this.staticData,
				getNodeParameter: (name: string, fallback?: unknown) => {
					const value = valueAt(node.parameters, name) ?? fallback;
					if (value === undefined) throw new Error(`Could not get parameter ${name}`);
					return typeof value === 'object' ? host.process.realm.copy(value) : value;
				},
			},
			{ helpers: { get: () => host.helpers(execution(), 1) } },
		);
	}
}
