/** Searches what a test has captured for a text that must not be in it. */

/** All readings of a text: as it is, and decoded. */
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
 * Where `text` is in `value`, in any case, as paths such as `.error.cause.headers`. Looks into every property, even
 * those that JSON leaves out, and into encoded text.
 */
export function placesOf(text: string, value: unknown): string[] {
	const wanted = text.toLowerCase();
	const places: string[] = [];
	const seen = new Set<object>();
	const contains = (candidate: string) =>
		readsOf(candidate).some((reading) => reading.toLowerCase().includes(wanted));
	// A stack instead of recursion, because causes and requests may be nested deeply.
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
			// Does not call getters, which may have side effects.
			const property = Reflect.getOwnPropertyDescriptor(current, name);
			open.push({ path: `${path}.${String(name)}`, value: property?.value });
		}
	}
	return places;
}

/** Records all output to the console, stdout and stderr from now on. */
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
