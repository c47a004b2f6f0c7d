/** The set-up of a trigger test: n8n's engine, and a list service whose responses the test sets. */
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INode,
	NodeApiError,
} from 'n8n-workflow';

import { NO_LIMITS } from './bench';
import { Engine, type TriggerSetup } from './engine';
import { useLogicalTime } from './logicalTime';
import { type ListService, startListService } from './listService';

export const KEY = '0123456789abcdef'.repeat(4);
export const ALL_EVENTS = ['contactCreated', 'contactUpdated', 'contactDeleted'];
/** Where n8n keeps the memory of the bench's triggers. */
const MEMORIES = 'node:businessDataTrigger:';
export const MEMORY = `${MEMORIES}trigger`;

/** The triggers whose memory n8n keeps. */
export function remembered(staticData: IDataObject): string[] {
	const own = Object.keys(staticData).filter((name) => name.startsWith(MEMORIES));
	return own.map((name) => name.slice(MEMORIES.length));
}

export class TriggerBench {
	engine!: Engine;
	service!: ListService;
	private logBegan = 0;

	/** A credential for the service, with these fields in place of the defaults. */
	credential(fields: IDataObject = {}): ICredentialDataDecryptedObject {
		const limits = JSON.stringify(NO_LIMITS);
		const { baseUrl } = this.service;
		return { baseUrl, apiKey: KEY, customize: true, limits, ...(fields as object) };
	}

	/** A published trigger for the service. Its credential has the ID `key`; there is an equal one, `other`. */
	trigger(
		parameters: Record<string, unknown> = {},
		{ credential, ...setup }: TriggerSetup & { credential?: IDataObject } = {},
	) {
		const key = this.credential(credential);
		const all = { events: ALL_EVENTS, ...parameters } as INode['parameters'];
		const trigger = this.engine.trigger(all, { key, other: key }, setup);
		/** A poll that gets this response, or the same as the one before. */
		const pollList = async (list?: unknown) => {
			if (list !== undefined) this.service.response = () => list;
			return await trigger.poll();
		};
		return { ...trigger, pollList };
	}

	/** What n8n has logged since the test began. */
	logged(): string {
		return this.engine.log.slice(this.logBegan).join('\n');
	}

	async begin(): Promise<void> {
		this.service = await startListService();
		this.logBegan = this.engine.log.length;
	}
}

/** Starts the engine once for the tests of a file, and a service for each of them. */
export function useTriggerBench(): TriggerBench {
	const bench = new TriggerBench();
	useLogicalTime();
	beforeAll(async () => {
		bench.engine = await Engine.load();
	});
	beforeEach(async () => await bench.begin());
	afterEach(async () => {
		jest.restoreAllMocks();
		await bench.service.stop();
	});
	return bench;
}

/** The error of a failed poll, as n8n shows it. */
export async function reasonOf(polled: Promise<unknown>): Promise<string> {
	return await polled.then(
		() => '',
		({ message, description }: NodeApiError) => `${message} ${description}`,
	);
}

/** The events in a few words each, such as `contactDeleted 7`. */
export function inWords(events: IDataObject[]): string[] {
	return events.map(({ event, contact, record }) => {
		const { id } = (contact ?? record) as { id: unknown };
		return `${event as string} ${id as string}`;
	});
}
