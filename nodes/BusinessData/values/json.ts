/** JSON that may not be JSON. */
import { parse } from 'lossless-json';

import { messageOf } from './text';

type Parsed = { value: unknown } | { problem: string };

/** The value of a JSON text, or the parser's own words on why it is not JSON. */
export function tryParseJson(text: string): Parsed {
	return tryTo(() => JSON.parse(text) as unknown);
}

/** Finds all numbers that may have more digits than JavaScript keeps. */
const MANY_DIGITS = /(?:^|[[:,\s])-?\d{16}/;

/** Whole numbers beyond ±(2^53 − 1) become texts, digit by digit: a rounded ID would identify another record. */
export function tryParseExactJson(text: string): Parsed {
	const parsed = tryParseJson(text);
	if ('problem' in parsed || !MANY_DIGITS.test(text)) return parsed;
	return tryTo(() =>
		parse(text, undefined, {
			parseNumber: (digits) => {
				const number = Number(digits);
				return /^-?\d+$/.test(digits) && !Number.isSafeInteger(number) ? digits : number;
			},
			// As JSON.parse does.
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
