// The environment of started programs: the user's own, without variables that would change their behaviour.
import { delimiter } from 'node:path';

// The variables that npm sets for its scripts describe this package, not the folder of a nested npm.
const NPM_SCRIPT_VARIABLES =
	/^(npm_(lifecycle_|package_|command$|config_local_prefix$)|INIT_CWD$)/i;

/** A copy of the process's environment, without the variables that npm sets for its scripts. */
export function ownEnvironment(): NodeJS.ProcessEnv {
	return Object.fromEntries(
		Object.entries(process.env).filter(([name]) => !NPM_SCRIPT_VARIABLES.test(name)),
	);
}

/** The environment with a folder first in its search path, whatever the spelling of PATH. */
export function withFolderFirst(environment: NodeJS.ProcessEnv, folder: string): NodeJS.ProcessEnv {
	const name = Object.keys(environment).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH';
	const rest = environment[name];
	return { ...environment, [name]: rest === undefined ? folder : `${folder}${delimiter}${rest}` };
}
