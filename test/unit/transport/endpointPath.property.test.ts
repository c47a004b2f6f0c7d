/**
 * A request stays below the base URL whatever its path is, and counts against the limit of its endpoint however
 * the path is written.
 */
import * as fc from 'fast-check';

import { readAccount } from '../../../nodes/BusinessData/transport/account';
import { ENDPOINTS } from '../../../nodes/BusinessData/transport/endpoints';
import { canonicalEndpoint, parsePath } from '../../../nodes/BusinessData/transport/endpointPath';
import { InvalidSettingError } from '../../../nodes/BusinessData/values/invalidSettingError';
import { requiredFields } from './examples';

const BASE_PATH = '/base/v1';
const base = new URL(`https://api.example.com${BASE_PATH}`);

/** Any UTF-16 code unit, including lone surrogates. */
const codeUnit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
/** Separators in every encoding, and segments that lead out of a folder. */
const PIECES =
	'/ // \\ .. . %2e %2E %252e %2f %252F %5c ; %3b ? # % %25 %zz %25zz %00 %c0%af @ : https: host a \t \n';
const piece = fc.constantFrom(...PIECES.split(' '), ' ');
const anyPath = fc.oneof(
	fc.string(),
	fc.string({ unit: codeUnit }),
	fc.array(fc.oneof(piece, piece, codeUnit)).map((pieces) => pieces.join('')),
	fc.webPath(),
	fc.webUrl(),
);

/** The path, or undefined if it is refused with the right error. */
function tryToParse(input: string) {
	try {
		return parsePath(input, 'Path');
	} catch (error) {
		expect(error).toBeInstanceOf(InvalidSettingError);
		return undefined;
	}
}

/** How a lenient server reads a path: with everything decoded, and without path parameters. */
function leniently(path: string): string[] {
	let decoded = path;
	for (let previous = ''; previous !== decoded;) {
		previous = decoded;
		decoded = previous.replace(/%[0-7][\da-f]/gi, (encoded) => decodeURIComponent(encoded));
	}
	return decoded.split(/[/\\]/).map((segment) => segment.replace(/;.*/s, ''));
}

describe('any text as a path', () => {
	test('leads below the base URL or is refused', () => {
		fc.assert(
			fc.property(anyPath, (input) => {
				const parsed = tryToParse(input);
				if (parsed === undefined) return;
				const url = new URL(base.href + parsed.path);
				expect(url.origin).toBe(base.origin);
				// Nothing is left for a client or a server to resolve, to decode or to cut off.
				expect(url.href).toBe(base.href + parsed.path);
				expect(url.pathname.startsWith(`${BASE_PATH}/`)).toBe(true);
				expect(url.search + url.hash + url.username + url.password).toBe('');
				expect(leniently(parsed.path)).not.toContain('..');
				expect(leniently(parsed.path)).not.toContain('.');
			}),
			{ numRuns: 2_000 },
		);
	});

	test('keeps its form when it is parsed again', () => {
		fc.assert(
			fc.property(anyPath, (input) => {
				const path = tryToParse(input)?.path;
				if (path !== undefined) expect(parsePath(path, 'Path')).toEqual({ path, query: [] });
			}),
			{ numRuns: 1_000 },
		);
	});
});

/** Writes each character in either case, encoded up to three times. */
function writtenAs(text: string): fc.Arbitrary<string> {
	const characters = [...text].map((character) =>
		fc
			.tuple(fc.boolean(), fc.constantFrom(0, 0, 0, 1, 2, 3), fc.boolean())
			.map(([isUpper, levels, isUpperHex]) => {
				let written = isUpper ? character.toUpperCase() : character.toLowerCase();
				for (let level = 0; level < levels; level++) {
					const hex = written.charCodeAt(0).toString(16);
					written =
						level === 0
							? `%${isUpperHex ? hex.toUpperCase() : hex}`
							: written.replaceAll('%', '%25');
				}
				return written;
			}),
	);
	return fc.tuple(...characters).map((all) => all.join(''));
}

const parameters = fc.constantFrom('', '', ';', ';v=1', ';a=1;b=2', '%3Bv', '%253Bv', ';%25zz');

function variantOf(path: string): fc.Arbitrary<string> {
	const segments = path.split('/').filter((segment) => segment !== '');
	const parts = segments.map((segment, index) =>
		fc
			.tuple(fc.constantFrom('/', index === 0 ? '' : '/'), writtenAs(segment), parameters)
			.map((written) => written.join('')),
	);
	return fc
		.tuple(fc.tuple(...parts), fc.constantFrom('', '/', '?a=1'))
		.map(([written, end]) => written.join('') + end);
}

describe('an endpoint written in any way', () => {
	const account = readAccount(requiredFields);
	const { sendTransaction, sendPayment, sendTransactionWp } = ENDPOINTS;

	test.each([sendTransaction, sendPayment, sendTransactionWp])(
		'counts against the limit of $path',
		({ method, path }) => {
			fc.assert(
				fc.property(variantOf(path), (variant) => {
					const parsed = parsePath(variant, 'Path');
					const name = canonicalEndpoint({ method, path: parsed.path });
					expect(account.limits.names?.[name]).toBe(`${method} ${path}`);
				}),
				{ numRuns: 500 },
			);
		},
	);
});
