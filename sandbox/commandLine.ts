// Parses command-line arguments into the settings of a sandbox.

import { parseArgs } from 'node:util';
import type { SandboxOptions } from './options';

export const COMMAND_LINE_HELP = `Usage: sandbox [options]

  --port <number>            port on 127.0.0.1 (default: any free one)
  --window-mode <mode>       sliding, fixed or both (default: sliding)
  --time-scale <factor>      multiplies every window; 0.05 makes 60 s into 3 s (default: 1)
  --contacts <number>        contacts at the start (default: 25)
  --retry-after <form>       what a 429 carries: none, seconds or date (default: none)
  --minimum-latency <ms>     least latency per request in ms (default: 0)
  --maximum-latency <ms>     greatest latency per request in ms (default: the least)
  --profile <name>           imitates another service, such as L2-P3 (default: none)
  --help                     shows this text
`;

/** The sandbox validates it when it starts. */
const numberIn = (text: string | undefined) => (text === undefined ? undefined : Number(text));

/** The settings from the arguments, or `help`. Throws on an unknown argument. */
export function readCommandLine(commandLine: string[]): SandboxOptions | 'help' {
	const text = { type: 'string' } as const;
	const { values } = parseArgs({
		args: commandLine,
		options: {
			port: text,
			'window-mode': text,
			'time-scale': text,
			contacts: text,
			'retry-after': text,
			'minimum-latency': text,
			'maximum-latency': text,
			profile: text,
			help: { type: 'boolean' },
		},
	});
	if (values.help === true) return 'help';
	const minMs = numberIn(values['minimum-latency']) ?? 0;
	return {
		port: numberIn(values.port),
		windowMode: values['window-mode'] as SandboxOptions['windowMode'],
		timeScale: numberIn(values['time-scale']),
		contactCount: numberIn(values.contacts),
		retryAfter: values['retry-after'] as SandboxOptions['retryAfter'],
		latency: { minMs, maxMs: numberIn(values['maximum-latency']) ?? minMs },
		profile: values.profile,
	};
}
