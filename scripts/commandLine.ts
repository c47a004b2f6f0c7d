// Parses the arguments of `npm start`.
import { parseArgs } from 'node:util';

export interface StartOptions {
	/** Whether to end after the demo workflow has run. */
	once: boolean;
	/** A folder in which n8n's data are kept; by default a temporary one. */
	userFolder?: string;
	/** The editor's port; by default a free one. */
	port?: number;
	help: boolean;
}

export const START_HELP = `Starts the sandbox and a real n8n with this node, and runs the demo workflow once.

npm start -- [options]

  --once                 end after the run; status 0 only when everything came through
  --user-folder <path>   keep n8n's data in this folder (default: a temporary one)
  --port <number>        the editor's port on 127.0.0.1 (default: a free one)
  --help                 show this text
`;

/** @throws an error that names an invalid argument */
export function readStartOptions(parameters: string[]): StartOptions {
	const { values } = parseArgs({
		args: parameters,
		options: {
			once: { type: 'boolean', default: false },
			'user-folder': { type: 'string' },
			port: { type: 'string' },
			help: { type: 'boolean', default: false },
		},
	});
	const port = values.port === undefined ? undefined : Number(values.port);
	if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536)) {
		throw new Error(`--port must be a number from 1 to 65535, not "${values.port}".`);
	}
	return {
		once: values.once ?? false,
		help: values.help ?? false,
		userFolder: values['user-folder'],
		port,
	};
}
