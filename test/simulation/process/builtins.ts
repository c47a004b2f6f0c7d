/** The replacements of Node.js modules in a simulated process. */
import * as hostCrypto from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';

import { httpModules } from '../service/httpClient';
import { unsupported } from '../world/unsupported';
import { channelModules } from './channels';
import { type Global, randomOf, timersOf } from './globals';
import type { SimulatedProcess } from './simulatedProcess';

export function builtinsOf(
	global: Global,
	process: () => SimulatedProcess,
): Record<string, unknown> {
	return {
		timers: timersOf(process),
		'timers/promises': unknownBut({}, 'timers/promises'),
		perf_hooks: { performance: global.performance as unknown },
		process: global.process,
		crypto: { ...hostCrypto, ...randomOf(process) },
		fs: filesWithoutWaiting(),
		net: { isIP },
		...httpModules(process),
		...channelModules(process),
	};
}

/** Reads files synchronously, so that no real time passes. */
function filesWithoutWaiting(): object {
	type Done = (error: Error | null, text: string) => void;
	const known = {
		readFileSync,
		existsSync,
		readFile: (file: string, encoding: BufferEncoding, done: Done) =>
			process.nextTick(done, null, readFileSync(file, encoding)),
		promises: {
			readFile: async (file: string) => await Promise.resolve(readFileSync(file, 'utf8')),
		},
	};
	return unknownBut(known, 'fs');
}

/** A module whose unsupported functions exist, but throw an error that fails the play. */
function unknownBut(known: object, module: string): object {
	return new Proxy(known, {
		get: (target, name, receiver): unknown =>
			Reflect.get(target, name, receiver) ??
			(() => {
				throw unsupported(`${module}.${String(name)}`);
			}),
	});
}
