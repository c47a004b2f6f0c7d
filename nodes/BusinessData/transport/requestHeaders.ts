import { InvalidSettingError } from '../values/invalidSettingError';

/** Headers set by the node or the connection (RFC 9110 §7.6.1), or dropped by n8n. */
const RESERVED = new Set([
	...['x-api-key', 'content-length', 'content-type'],
	// Some services read the method from these.
	...['x-http-method-override', 'x-method-override', 'x-http-method'],
	...['host', 'connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
	...['expect', 'http2-settings'],
	// These have another meaning in JavaScript objects, or in the settings of axios.
	...['__proto__', 'constructor', 'prototype'],
	...['common', 'delete', 'get', 'head', 'patch', 'post', 'put', 'query'],
]);

/** A token (RFC 9110 §5.6.2). */
const NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
/** One line of visible characters, spaces and tabs (RFC 9110 §5.5). */
const VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

/**
 * @param contentTypes content types that the body may have
 * @throws InvalidSettingError that names the header if it cannot be sent as it is
 */
export function checkHeader(
	field: string,
	name: string,
	value: string,
	contentTypes?: RegExp,
): void {
	const lowerCased = name.toLowerCase();
	const isFitting = lowerCased === 'content-type' && contentTypes?.test(value.trim()) === true;
	if (!isFitting && (RESERVED.has(lowerCased) || lowerCased.startsWith('proxy-'))) {
		const isKey = lowerCased === 'x-api-key';
		const why = 'it is set by the node or by the connection, or n8n cannot send it';
		const howToFix = `Remove it: ${isKey ? 'the key is sent by the credential' : why}.`;
		throw new InvalidSettingError(field, `the header ${name} cannot be set here`, howToFix);
	}
	if (NAME.test(name) && VALUE.test(value)) return;
	// A long name is not shown, because it may be the key in the wrong field.
	const which = NAME.test(name) && name.length < 40 ? `the value of ${name}` : 'a name or a value';
	const problem = `${which} contains characters that a header cannot have`;
	const howToFix =
		'Use letters, digits and hyphens in names, and one line of text in values; characters beyond Latin-1, such as €, must be encoded, for example as %E2%82%AC.';
	throw new InvalidSettingError(field, problem, howToFix);
}
