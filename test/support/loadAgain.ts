/**
 * A module as another process loads it, or an update of the package.
 * @param path below `nodes/BusinessData`
 */
export function loadAgain<T extends object>(path: string): T {
	let loaded: T | undefined;
	jest.isolateModules(() => {
		loaded = jest.requireActual<T>(`../../nodes/BusinessData/${path}`);
	});
	return loaded as T;
}
