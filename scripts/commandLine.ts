// Parses the arguments of `npm start`.
import { parseArgs } from 'node:util';

export const START_HELP = `Starts the sandbox and a real n8n with this node, and runs the demo workflow once.

npm start -- [options]

  --once                 end after the run; status 0 only when everything came through
  --user-folder <path>   keep n8n's data in this folder (default: a temporary one)
  --port <number>        the editor's port on 127.0.0.1 (default: a free one)
  --help                 show this text
`;

/** @throws an error that names an invalid argument */
export function readStartOptions(parameters: string[]) {
	const { values } = parseArgs({
		args: parameters,
		options: {
			once: { type: 'boolean' },
			'user-folder': { type: 'string' },
			port: { type: 'string' },
			help: { type: 'boolean' },
		},
	});
	const port = values.port === undefined ? undefined : Number(values.port);
	if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536)) {
		throw new Error(`--port must be a number from 1 to 65535, not "${values.port}".`);
	}
	return { ...values, port };
}

export type StartOptions = ReturnType<typeof readStartOptions>;
