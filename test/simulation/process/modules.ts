/**
 * Loads modules into a separate global object, as Node.js loads them: the built package, and those of its dependencies
 * that keep state or use a clock. Each file is read and compiled once per thread.
 */
import { readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { type Context, Script } from 'node:vm';

export const PACKAGE_FOLDER = resolve(__dirname, '../../..');
export const DIST_FOLDER = resolve(PACKAGE_FOLDER, 'dist');

export interface Patch {
	/** Below `dist`. */
	file: string;
	/** Must occur exactly once. */
	search: string;
	/** May contain `$&` for the text that was found. */
	replace: string;
}

export interface Module {
	exports: unknown;
}

export type ModuleCache = Map<string, Module>;

type Wrapper = (
	exports: unknown,
	require: (name: string) => unknown,
	module: Module,
	filename: string,
	dirname: string,
) => void;

const scripts = new Map<string, Script>();
const resolved = new Map<string, string>();

interface Loading {
	context: Context;
	/** The modules of Node.js. */
	builtin(name: string): unknown;
	/** The cache for a file. */
	cacheOf(file: string): ModuleCache;
	patches: Patch[];
	/** Replacements of packages, by name. */
	replaced?: Record<string, unknown>;
}

export function load(file: string, loading: Loading): unknown {
	const cache = loading.cacheOf(file);
	const known = cache.get(file);
	if (known !== undefined) return known.exports;
	const module: Module = { exports: {} };
	cache.set(file, module);
	if (file.endsWith('.json')) {
		module.exports = JSON.parse(readFileSync(file, 'utf8'));
		return module.exports;
	}
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- an ES module, without state
	if (file.endsWith('.mjs')) return (module.exports = require(file));
	const requireFrom = (name: string) => {
		if (isBuiltin(name)) return loading.builtin(name.replace(/^node:/, ''));
		return loading.replaced?.[name] ?? load(find(name, file), loading);
	};
	const wrapper = scriptOf(file, loading.patches).runInContext(loading.context) as Wrapper;
	wrapper.call(module.exports, module.exports, requireFrom, module, file, dirname(file));
	return module.exports;
}

export function find(name: string, from: string): string {
	const key = `${from}\n${name}`;
	let file = resolved.get(key);
	if (file === undefined) resolved.set(key, (file = createRequire(from).resolve(name)));
	return file;
}

function scriptOf(file: string, patches: Patch[]): Script {
	const own = patches.filter((patch) => resolve(DIST_FOLDER, patch.file) === file);
	const key = own.length === 0 ? file : JSON.stringify([file, own]);
	let script = scripts.get(key);
	if (script === undefined) {
		const text = own.reduce(apply, readFileSync(file, 'utf8'));
		const wrapped = `(function (exports, require, module, __filename, __dirname) {${text}\n})`;
		scripts.set(key, (script = new Script(wrapped, { filename: file })));
	}
	return script;
}

/** @throws unless the text occurs exactly once */
export function apply(text: string, { file, search, replace }: Patch): string {
	const times = text.split(search).length - 1;
	if (times !== 1) {
		const name = relative(PACKAGE_FOLDER, resolve(DIST_FOLDER, file));
		throw new Error(`${name} has ${times} times what a planted mistake replaces: ${search}`);
	}
	return text.replace(search, replace);
}
