/** Runs the nodes with a value in one of the fields where a user can enter one. */
import type { IDataObject, INode } from 'n8n-workflow';

import { type Sandbox, startSandbox } from '../../sandbox/server';
import type { JournalEntry } from '../../sandbox/journal';
import { NODE, type ShownError } from '../support/bench';
import { useDeduplicator } from '../support/deduplicator';
import { Engine, type EngineRun } from '../support/engine';
import { workflowOf } from '../support/engineWorkflow';
import { credentialFor } from '../support/scaledLimits';
import { allPlaces, type Place } from './places';

/** What a user sees: the error, or the output. */
export type Shown =
	| { error: ShownError }
	| { items: IDataObject[] }
	/** n8n itself does not even start the workflow. */
	| { byN8n: Error };

const LIMITS = { general: [], endpoints: {} };

class Inputs {
	/** The address is empty here, because a sandbox knows its own only once it has started. */
	readonly places = allPlaces(credentialFor({ baseUrl: '', apiKey: '' }));
	engine!: Engine;
	sandbox!: Sandbox;
	readonly store = useDeduplicator();

	/** Enters a value in a field. Returns what a user sees, and the requests that went out. */
	async show(place: Place, value: unknown): Promise<{ shown: Shown; requests: JournalEntry[] }> {
		this.clear();
		const shown = await (place.of === 'trigger' ? this.poll(place, value) : this.run(place, value));
		return { shown, requests: this.sandbox.journal.all() };
	}

	/** Runs `count` items. Returns the error of each, or undefined. The parameter is evaluated for each item. */
	async errorsOfItems(place: Place, value: unknown, count: number) {
		this.clear();
		const run = await this.start(place, value, count, { onError: 'continueErrorOutput' });
		const errors = new Map(
			run.items(NODE, 1).map(({ error, pairedItem }): [number, ShownError] => {
				return [(pairedItem as { item: number }).item, error as unknown as ShownError];
			}),
		);
		return Array.from({ length: count }, (_, index) => errors.get(index));
	}

	/** The credential of a run with the value. */
	credentialOf(place: Place, value?: unknown): ReturnType<typeof credentialFor> {
		return {
			...credentialFor(this.sandbox, LIMITS),
			// Without nodes, the other fields of a cluster or of Sentinels would not be read.
			redisNodes: '127.0.0.1:26379',
			...(place.of === 'credential' ? ownValueOf(place, place.withValue(value)) : {}),
		};
	}

	private clear(): void {
		this.sandbox.reset();
		this.store.clear();
	}

	private async start(
		place: Place,
		value: unknown,
		count: number,
		settings: Partial<INode>,
	): Promise<EngineRun> {
		const ofCredential = { resource: 'contact', operation: 'deleteMany', ids: 'a', options: {} };
		const parameters = place.of === 'credential' ? ofCredential : place.withValue(value);
		const items = Array.from({ length: count }, () => ({ name: 'a' }));
		const workflow = workflowOf(items, parameters, settings);
		return await this.engine.run(workflow, { key: this.credentialOf(place, value) });
	}

	private async run(place: Place, value: unknown): Promise<Shown> {
		try {
			const run = await this.start(place, value, 1, {});
			if (run.run.status === 'success') return { items: run.json(NODE) };
			return { error: run.run.data.resultData.error as unknown as ShownError };
		} catch (error) {
			return { byN8n: error as Error };
		}
	}

	private async poll(place: Place, value: unknown): Promise<Shown> {
		const { options = {}, ...others } = place.withValue(value) as IDataObject;
		const isOptions = place.property.name === 'options';
		const emitting = isOptions ? options : { emitExisting: true, ...(options as IDataObject) };
		try {
			const parameters = { ...others, options: emitting } as never;
			const trigger = this.engine.trigger(parameters, { key: this.credentialOf(place) });
			return await trigger.poll().then(
				(items) => ({ items }),
				(error: ShownError) => ({ error }),
			);
		} catch (error) {
			return { byN8n: error as Error };
		}
	}
}

/** Sets up the engine and the sandbox for the tests of a file. */
export function useInputs(): Inputs {
	const inputs = new Inputs();
	beforeAll(async () => {
		inputs.engine = await Engine.load();
		inputs.sandbox = await startSandbox({ limits: LIMITS });
	});
	afterAll(async () => await inputs.sandbox.stop());
	return inputs;
}

/** The value of a credential field, and of the fields that it depends on. */
function ownValueOf({ property }: Place, values: INode['parameters']): IDataObject {
	const show = Object.entries(property.displayOptions?.show ?? {});
	const beside = Object.fromEntries(show.map(([name, shown]) => [name, shown?.[0]])) as IDataObject;
	return { ...beside, [property.name]: (values as IDataObject)[property.name] };
}
