/** Parses texts that may not be JSON. */
import { parse } from 'lossless-json';

import { messageOf } from './text';

type Parsed = { value: unknown } | { problem: string };

/** The value of a JSON text, or in the parser's words, why it is not JSON. */
export function tryParseJson(text: string): Parsed {
	return tryTo(() => JSON.parse(text) as unknown);
}

/** Finds every number that may have more digits than JavaScript can keep. */
const MANY_DIGITS = /(?:^|[[:,\s])-?\d{16}/;

/** Whole numbers beyond ±(2^53 − 1) become texts with all digits, because a rounded ID would identify another record. */
export function tryParseExactJson(text: string): Parsed {
	const parsed = tryParseJson(text);
	if ('problem' in parsed || !MANY_DIGITS.test(text)) return parsed;
	return tryTo(() =>
		parse(text, undefined, {
			parseNumber: (digits) => {
				const number = Number(digits);
				return /^-?\d+$/.test(digits) && !Number.isSafeInteger(number) ? digits : number;
			},
			// Like JSON.parse.
			onDuplicateKey: ({ newValue }) => newValue,
		}),
	);
}

function tryTo(parseText: () => unknown): Parsed {
	try {
		return { value: parseText() };
	} catch (error) {
		return { problem: messageOf(error) };
	}
}
