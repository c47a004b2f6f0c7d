/** Reads paths as users write them: keeps them below the base URL, and finds their canonical form for the limits. */
import type { Endpoint } from './endpoints';
import { type QueryParameters, refuseKeyParameter } from './serviceRequest';
import { InvalidSettingError } from '../values/invalidSettingError';
import { trimUnseen } from '../values/text';
import { refuseFaults, textProblem } from '../values/valueFaults';

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;

/** Includes lone surrogates, which cannot be percent-encoded. */
// eslint-disable-next-line no-control-regex -- it looks for control characters
const CONTROL_OR_SPACE = /[\u0000-\u0020\u007f-\u00a0\u2028\u2029\ud800-\udfff]/u;
const SCHEME_OR_HOST = /^([a-z][a-z\d+.-]*:|[\\/]{2})/i;
/** One encoded ASCII character, or a sequence of other encoded bytes. */
const ENCODED_CHARACTERS = /%[0-7][\da-f]|(%[89a-f][\da-f])+/gi;

/**
 * @param input for example `/masterdata/getContacts?page=2`
 * @param isComputed whether a part of it came from an expression
 * @throws InvalidSettingError naming `field`, also if a server might read another path, or an expression failed
 */
export function parsePath(
	input: string,
	field: string,
	isComputed = false,
): { path: string; query: QueryParameters } {
	const text = input.trim();
	const refuse = (problem: string, howToFix: string) =>
		new InvalidSettingError(field, problem, howToFix);
	if (text === '' || SCHEME_OR_HOST.test(text)) {
		throw refuse(
			text === '' ? 'is empty' : 'must be a path below the base URL, not a full address',
			'Write the part that follows the base URL, for example /masterdata/getContacts.',
		);
	}
	if (text.includes('#') || text.includes('\\') || CONTROL_OR_SPACE.test(text)) {
		throw refuse(
			'contains a character that a path cannot have',
			'Write a # as %23 and a space as %20, and remove any backslash or control character.',
		);
	}
	const [written = '', ...queries] = text.split('?');
	const segments = written.replace(/^\//, '').split('/');
	const trailingSlash = segments.length > 1 && segments.at(-1) === '' ? '/' : '';
	// White space after the last slash makes an empty segment, which is an error below.
	if (segments.at(-1) === '' && !/\/\s+$/.test(input)) segments.pop();
	for (const segment of segments) {
		const decoded = decodeFully(segment);
		if (decoded === undefined) {
			throw refuse('has a % that encodes no character', 'Write a percent sign as %25.');
		}
		// Some servers first drop path parameters (`;…`), and then resolve the dots.
		if (/^\.\.?(;|$)/.test(decoded) || /[/\\]/.test(decoded)) {
			const howToFix = 'Remove the "." and ".." segments and the encoded slashes.';
			throw refuse('must not lead out of its folder', howToFix);
		}
		if (CONTROL_OR_SPACE.test(decoded.replaceAll(' ', ''))) {
			throw refuse('contains an encoded control character', 'Remove it from the path.');
		}
		const [name = ''] = decoded.split(';');
		const problem = trimUnseen(name) === '' ? 'is empty' : textProblem(name);
		if (problem !== undefined) {
			const howToFix = 'Check the expression and the slashes, so that no other endpoint is called.';
			throw refuse(`a segment ${problem}`, howToFix);
		}
	}
	const query = [...new URLSearchParams(queries.join('?'))].map(([name, value]) => {
		refuseKeyParameter(field, name);
		refuseFaults(field, { [name]: value }, isComputed);
		return { name, value };
	});
	return { path: `/${segments.map(encodeSegment).join('/')}${trailingSlash}`, query };
}

/**
 * @param input `METHOD /path`, as in the credential's fields
 * @param isExact whether to refuse empty segments; otherwise repeated slashes count as one
 * @throws InvalidSettingError naming `field`
 */
export function parseEndpoint(input: string, field: string, { isExact = false } = {}): Endpoint {
	const [, methodText = '', pathText = ''] = /^\s*(\S+)\s+(\S.*)$/s.exec(input) ?? [];
	const method = METHODS.find((known) => known === methodText.toUpperCase());
	if (method === undefined || !pathText.startsWith('/')) {
		const howToFix = 'Write a method, a space and a path, for example POST /txndata/bulkDeleteTxn.';
		throw new InvalidSettingError(field, 'is not a method and a path', howToFix);
	}
	const written = isExact ? pathText : pathText.trim().replace(/(?<=[^/])\/{2,}/g, '/');
	const { path, query } = parsePath(written, field);
	if (query.length === 0) return { method, path };
	const howToFix = 'Remove the part from the "?" on.';
	throw new InvalidSettingError(field, 'must not have a query', howToFix);
}

/**
 * The same name for all spellings of an endpoint that a lenient server may treat alike: ignores case, repeated and
 * trailing slashes, percent-encoding and path parameters (`;…`).
 */
export function canonicalEndpoint({ method, path }: Endpoint): string {
	const segments = path
		.split('/')
		.map((segment) => (decodeFully(segment) ?? segment).split(';')[0]?.toLowerCase())
		.filter((segment) => segment !== '');
	return `${method} /${segments.join('/')}`;
}

/** Undefined if a `%` encodes no character. */
function decodeFully(segment: string): string | undefined {
	if (decodePercent(segment) === undefined) return undefined;
	let decoded = segment;
	for (let previous = ''; previous !== decoded;) {
		previous = decoded;
		// After the first turn, an encoded percent sign (`%25`) is a plain one.
		decoded = previous.replace(ENCODED_CHARACTERS, (encoded) => decodePercent(encoded) ?? encoded);
	}
	return decoded;
}

/** Undefined if a `%` encodes no character. */
export function decodePercent(text: string): string | undefined {
	try {
		return decodeURIComponent(text);
	} catch {
		return undefined;
	}
}

/** Encodes only the characters that need it. */
function encodeSegment(segment: string): string {
	return segment.replace(/[^:@$&+,;=]+/g, (text) => encodeURIComponent(decodeURIComponent(text)));
}
