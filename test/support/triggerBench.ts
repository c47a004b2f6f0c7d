/** What a test of the trigger works on: n8n's engine, and a list service that the test answers for. */
import type { IDataObject } from 'n8n-workflow';

import { Engine } from './engine';
import { type ListService, startListService } from './listService';

export const KEY = '0123456789abcdef'.repeat(4);
export const ALL_EVENTS = ['contactCreated', 'contactUpdated', 'contactDeleted'];
/** Limits that no test reaches. */
const HIGH_LIMITS = { general: [{ max: 100_000, windowSeconds: 1 }], endpoints: {} };

export interface TriggerBench {
	engine: Engine;
	service: ListService;
	/** A published trigger for the service. */
	trigger(
		parameters?: Record<string, unknown>,
		more?: { credential?: IDataObject; mode?: 'manual' | 'trigger'; staticData?: IDataObject },
	): ReturnType<Engine['trigger']>;
	/** What n8n has logged since the test began. */
	logged(): string;
}

/** Starts the engine once for the tests of a file, and a service for each of them. */
export function useTriggerBench(): TriggerBench {
	const bench = {} as TriggerBench;
	let logBegan = 0;
	bench.trigger = (parameters = {}, { credential = {}, mode, staticData } = {}) => {
		const key = {
			baseUrl: bench.service.baseUrl,
			apiKey: KEY,
			customize: true,
			limits: JSON.stringify(HIGH_LIMITS),
			...credential,
		};
		const usual = { events: ALL_EVENTS, idField: 'id', options: {} };
		return bench.engine.trigger({ ...usual, ...parameters }, { key }, mode, staticData);
	};
	bench.logged = () => bench.engine.log.slice(logBegan).join('\n');
	beforeAll(async () => {
		bench.engine = await Engine.load();
	});
	beforeEach(async () => {
		bench.service = await startListService();
		logBegan = bench.engine.log.length;
	});
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
