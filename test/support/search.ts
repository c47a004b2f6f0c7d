/** Searches whatever a test has captured for a text that must not be in it. */

/** What somebody can read in a text: the text itself, and what it says when it is decoded. */
export function readsOf(text: string): string[] {
	const unescaped = text
		.replace(/(?:%(?:25)*|\\+u00)([\da-f]{2})/gi, (_, code: string) =>
			String.fromCharCode(parseInt(code, 16)),
		)
		.replace(/&#(?:x([\da-f]{1,6})|(\d{1,7}));/gi, (_, hex?: string, decimal?: string) =>
			String.fromCharCode(hex === undefined ? Number(decimal) : parseInt(hex, 16)),
		)
		.replaceAll('\0', '');
	const bytes = [0, 1, 2, 3].map((start) => Buffer.from(text.slice(start), 'base64'));
	return [text, unescaped, ...bytes.map((one) => one.toString('latin1'))];
}

/**
 * Where `text` is in `value`, whatever its case: as paths such as `.error.cause.headers`. Looks into every
 * property, also those that JSON leaves out, and into what is encoded.
 */
export function placesOf(text: string, value: unknown): string[] {
	const wanted = text.toLowerCase();
	const places: string[] = [];
	const seen = new Set<object>();
	const contains = (candidate: string) =>
		readsOf(candidate).some((reading) => reading.toLowerCase().includes(wanted));
	// A list of its own instead of recursion: causes and requests may be nested deeply.
	const open: Array<{ path: string; value: unknown }> = [{ path: '', value }];
	for (let next = open.pop(); next !== undefined; next = open.pop()) {
		const { path, value: current } = next;
		if (typeof current === 'string' && contains(current)) places.push(path);
		if (Buffer.isBuffer(current)) {
			if (contains(current.toString('latin1'))) places.push(path);
			continue;
		}
		const isObject = typeof current === 'object' || typeof current === 'function';
		if (!isObject || current === null || seen.has(current)) continue;
		seen.add(current);
		if (current instanceof Map || current instanceof Set) {
			open.push({ path: `${path}.entries`, value: [...current] });
		}
		for (const name of Reflect.ownKeys(current)) {
			if (contains(String(name))) places.push(`${path}.(name)`);
			// Without calling getters, which may do anything.
			const property = Reflect.getOwnPropertyDescriptor(current, name);
			open.push({ path: `${path}.${String(name)}`, value: property?.value });
		}
	}
	return places;
}

/** Records everything that is written to the console or to the process's outputs from now on. */
export function recordOutput(): unknown[] {
	const written: unknown[] = [];
	const record = (...parts: unknown[]) => {
		written.push(parts);
		return true;
	};
	for (const name of ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const) {
		jest.spyOn(console, name).mockImplementation(record);
	}
	jest.spyOn(process.stdout, 'write').mockImplementation(record);
	jest.spyOn(process.stderr, 'write').mockImplementation(record);
	return written;
}
