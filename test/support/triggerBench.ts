/** What a test of the trigger works on: n8n's engine, and a list service that the test serves. */
import type { ICredentialDataDecryptedObject, IDataObject, INode } from 'n8n-workflow';

import { NO_LIMITS } from './bench';
import { Engine } from './engine';
import { useLogicalTime } from './logicalTime';
import { type ListService, startListService } from './listService';

export const KEY = '0123456789abcdef'.repeat(4);
export const ALL_EVENTS = ['contactCreated', 'contactUpdated', 'contactDeleted'];
/** Where n8n keeps what the trigger of the bench remembers. */
const MEMORIES = 'node:businessDataTrigger:';
export const MEMORY = `${MEMORIES}trigger`;

/** Of which triggers n8n keeps something. */
export function remembered(staticData: IDataObject): string[] {
	const own = Object.keys(staticData).filter((name) => name.startsWith(MEMORIES));
	return own.map((name) => name.slice(MEMORIES.length));
}

export interface TriggerBench {
	engine: Engine;
	service: ListService;
	/** A published trigger for the service. Its credential has the ID `key`; there is an equal one, `other`. */
	trigger(
		parameters?: Record<string, unknown>,
		more?: {
			credential?: IDataObject;
			mode?: 'manual' | 'trigger';
			staticData?: IDataObject;
			/** Of the node. */
			settings?: Partial<INode>;
		},
	): ReturnType<Engine['trigger']>;
	/** A credential for the service, with these fields instead of the usual ones. */
	credential(fields?: IDataObject): ICredentialDataDecryptedObject;
	/** What n8n has logged since the test began. */
	logged(): string;
}

/** Starts the engine once for the tests of a file, and a service for each of them. */
export function useTriggerBench(): TriggerBench {
	const bench = {} as TriggerBench;
	let logBegan = 0;
	bench.credential = (fields = {}) => ({
		baseUrl: bench.service.baseUrl,
		apiKey: KEY,
		customize: true,
		limits: JSON.stringify(NO_LIMITS),
		...fields,
	});
	bench.trigger = (parameters = {}, { credential, mode, staticData, settings } = {}) => {
		const usual = { events: ALL_EVENTS, idField: 'id', options: {} };
		const key = bench.credential(credential);
		return bench.engine.trigger(
			{ ...usual, ...parameters },
			{ key, other: key },
			mode,
			staticData,
			settings,
		);
	};
	bench.logged = () => bench.engine.log.slice(logBegan).join('\n');
	const start = async () => {
		bench.service = await startListService();
		logBegan = bench.engine.log.length;
	};
	useLogicalTime();
	beforeAll(async () => {
		bench.engine = await Engine.load();
	});
	beforeEach(start);
	afterEach(async () => {
		jest.restoreAllMocks();
		await bench.service.stop();
	});
	return bench;
}

/** The events in a few words each, such as `contactDeleted 7`. */
export function inWords(events: IDataObject[]): string[] {
	return events.map(({ event, contact, record }) => {
		const { id } = (contact ?? record) as { id: unknown };
		return `${event as string} ${id as string}`;
	});
}
