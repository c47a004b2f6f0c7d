/**
 * A separate global object, for one simulated process at a time. Libraries of n8n and dependencies of the package are
 * loaded into it once; the package itself is loaded again for each process.
 */
import { constants, createContext } from 'node:vm';

import type { AxiosStatic } from 'axios';
import type * as N8nWorkflow from 'n8n-workflow';

import { builtinsOf } from './builtins';
import { defineGlobals, type Global, required } from './globals';
import { DIST_FOLDER, find, load, type ModuleCache, PACKAGE_FOLDER, type Patch } from './modules';
import type { SimulatedProcess } from './simulatedProcess';

const idle: Realm[] = [];

export class Realm {
	readonly global: Global;
	/** The process that currently uses the realm. */
	private owner: SimulatedProcess | undefined;
	private readonly n8ns = newCache();
	/** The libraries of each loaded copy of the package. */
	private readonly libraries = [newCache(), newCache()] as const;
	private readonly baseline: Set<string | symbol>;
	private readonly builtins: Record<string, unknown>;

	private constructor() {
		this.global = createContext(constants.DONT_CONTEXTIFY) as unknown as Global;
		defineGlobals(this.global, () => this.owner);
		this.builtins = builtinsOf(this.global, () => required(this.owner));
		// Load n8n's libraries before the package, because two copies of it share them.
		this.n8nWorkflow();
		this.axios();
		this.baseline = new Set(Reflect.ownKeys(this.global));
	}

	static take(owner: SimulatedProcess): Realm {
		const realm = idle.pop() ?? new Realm();
		realm.owner = owner;
		return realm;
	}

	/** Call it when nothing of the process can run any more. */
	release(): void {
		this.owner = undefined;
		for (const key of Reflect.ownKeys(this.global)) {
			if (!this.baseline.has(key)) Reflect.deleteProperty(this.global, key);
		}
		idle.push(this);
	}

	/**
	 * Loads the built package. Every copy has its own modules.
	 * @param replaced replacements of packages, by name
	 */
	loadPackage(
		copy: 0 | 1,
		patches: Patch[],
		replaced: Record<string, unknown>,
	): (file: string) => unknown {
		const own = newCache();
		const loading = {
			context: this.global,
			patches,
			replaced,
			builtin: (name: string) => this.builtin(name),
			cacheOf: (file: string) => {
				if (file.startsWith(DIST_FOLDER)) return own;
				return this.n8ns.has(file) ? this.n8ns : this.libraries[copy];
			},
		};
		return (file) => load(`${DIST_FOLDER}/${file}`, loading);
	}

	/** Loads a library as n8n's own code would. `from` is a file, or a folder with a trailing `/`. */
	library(name: string, from = `${PACKAGE_FOLDER}/`): unknown {
		const loading = {
			context: this.global,
			patches: [],
			builtin: (builtin: string) => this.builtin(builtin),
			cacheOf: () => this.n8ns,
		};
		return load(find(name, from), loading);
	}

	n8nWorkflow(): typeof N8nWorkflow {
		return this.library('n8n-workflow') as typeof N8nWorkflow;
	}

	axios(): AxiosStatic {
		return this.library('axios') as AxiosStatic;
	}

	/** A copy of a value made of this realm's own objects. */
	copy<T>(value: T): T {
		return this.global.JSON.parse(JSON.stringify(value)) as T;
	}

	builtin(name: string): unknown {
		const own = this.builtins[name];
		// eslint-disable-next-line @typescript-eslint/no-require-imports -- by the name that a module asks for
		return own ?? (require(`node:${name}`) as unknown);
	}
}

function newCache(): ModuleCache {
	return new Map();
}
