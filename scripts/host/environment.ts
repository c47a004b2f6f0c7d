// The environment that started programs get: the user's own, without what would change their behaviour.
import { delimiter } from 'node:path';

// What npm adds for the script it runs describes this package, not the folder a nested npm works in.
const NPM_SCRIPT_VARIABLES =
	/^(npm_(lifecycle_|package_|command$|config_local_prefix$)|INIT_CWD$)/i;

/** A copy of the process's environment, without what npm added for the script it is running. */
export function ownEnvironment(): NodeJS.ProcessEnv {
	return Object.fromEntries(
		Object.entries(process.env).filter(([name]) => !NPM_SCRIPT_VARIABLES.test(name)),
	);
}

/** The environment with a folder put first on its search path, whatever the path's name is spelled like. */
export function withFolderFirst(environment: NodeJS.ProcessEnv, folder: string): NodeJS.ProcessEnv {
	const name = Object.keys(environment).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH';
	const rest = environment[name];
	return { ...environment, [name]: rest === undefined ? folder : `${folder}${delimiter}${rest}` };
}
