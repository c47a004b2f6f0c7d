// Reads the arguments of `npm start`.
import { parseArgs } from 'node:util';

/** What the user asked for. */
export interface StartOptions {
	/** End after the demo workflow has run. */
	once: boolean;
	/** A folder for n8n's data that is kept; without it, a temporary one. */
	userFolder?: string;
	/** The editor's port; without it, a free one. */
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

/** Throws an error that names the argument when one cannot be understood. */
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
