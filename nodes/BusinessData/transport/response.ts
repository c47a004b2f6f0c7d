import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';

import { tryParseExactJson } from '../values/json';
import { redactKey } from '../values/redact';
import { RequestError } from './requestError';

export interface ServiceResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	/** At most `LARGEST_BODY_BYTES`, without the key. */
	body: Buffer;
	/** Set if the body was larger, and so is left out. */
	isTooLarge?: true;
}

/** A larger body could exhaust n8n's memory. */
export const LARGEST_BODY_BYTES = 64 * 1024 * 1024;

/** How much of the body of an error is read. */
export const LARGEST_ERROR_BYTES = 1024 * 1024;

/** Reads the stream, up to a little more than `most` bytes, and masks the key. @throws the stream's error */
export async function readBody(stream: Readable, apiKey: string, most: number): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let length = 0;
	for await (const chunk of stream as AsyncIterable<Buffer>) {
		chunks.push(chunk);
		length += chunk.length;
		// Leaving the loop destroys the stream.
		if (length > most) break;
	}
	return redactKey(Buffer.concat(chunks), apiKey);
}

export function headerText(headers: Record<string, unknown>, name: string): string {
	const value = headers[name];
	return typeof value === 'string' ? value : '';
}

/** They override the content type (https://encoding.spec.whatwg.org/#bom-sniff). UTF-8 is the default anyway. */
const BYTE_ORDER_MARKS: Record<string, string> = { fffe: 'utf-16le', feff: 'utf-16be' };

/** The body as text, decoded by its byte order mark, or else by the character set in its content type. */
export function textOf({ headers, body }: ServiceResponse): string {
	const charset = /charset="?([\w-]+)/i.exec(headerText(headers, 'content-type'))?.[1];
	for (const name of [BYTE_ORDER_MARKS[body.toString('hex', 0, 2)], charset, 'utf-8']) {
		try {
			// A body that was cut off may end in the middle of a character.
			if (name !== undefined)
				return new TextDecoder(name, { fatal: true }).decode(body, { stream: true });
		} catch {
			// Node does not know the character set, or the body has another one.
		}
	}
	return new TextDecoder('windows-1252').decode(body);
}

const LONGEST_SHOWN = 10_000;

export function shownBody(response: ServiceResponse): string {
	const body = response.body.subarray(0, 4 * LONGEST_SHOWN);
	return textOf({ ...response, body }).slice(0, LONGEST_SHOWN);
}

/** How far (bytes) into the body a web page may begin. */
const LONGEST_PROLOGUE = 100_000;
/** The beginning of a web page, after white space, comments and declarations. */
const WEB_PAGE = /^(?:\s|<!--(?:(?!-->)[^])*-->|<\?[^>]*>)*<(?:!doctype\s+html|html)\b/i;

/** Whether the body is a web page, such as a proxy's login page, whatever its content type. */
export function isWebPage(response: ServiceResponse): boolean {
	return WEB_PAGE.test(textOf({ ...response, body: response.body.subarray(0, LONGEST_PROLOGUE) }));
}

/** The JSON in the body of a read; undefined if the body is empty. @throws RequestError if it is not JSON */
export function jsonOf(response: ServiceResponse): unknown {
	const text = textOf(response);
	if (text.trim() === '') return undefined;
	const { statusCode } = response;
	const type = headerText(response.headers, 'content-type').slice(0, 80) || 'no content type';
	const isOfLines = /\b(x-)?(nd-?json|json-?l(ines)?)\b/i.test(type);
	const lines = () => text.trim().split(/\s*\n\s*/);
	const parsed = tryParseExactJson(isOfLines ? `[${lines().join()}]` : text);
	if ('value' in parsed) return parsed.value;
	const isPage = isWebPage(response);
	throw new RequestError(
		`The service answered ${statusCode} with ${isPage ? 'a web page instead of JSON' : `something that is not JSON (${type})`}`,
		{
			outcome: 'unknown',
			statusCode,
			responseBody: shownBody(response),
			description: isPage
				? 'A proxy or a log-in page may stand between n8n and the service. Check the base URL in the credential.'
				: 'Check the base URL in the credential. For a response that is not meant to be JSON, use the resource API Request with the response format Text or File.' +
					` The response begins with: ${text.trim().slice(0, 200)}`,
		},
	);
}

export type Result =
	| { kind: 'none' }
	| { kind: 'json'; value: unknown }
	/** `isBroken`: it was meant to be JSON. */
	| { kind: 'text'; text: string; isBroken: boolean }
	| { kind: 'file' };

const TEXT_TYPE = /^text\/|[/+](json|xml|javascript|x-www-form-urlencoded|yaml|csv)\b/i;

/** What a response holds. Never throws, because the request was carried out. */
export function resultIn(response: ServiceResponse): Result {
	const text = textOf(response);
	if (text.trim() === '') return { kind: 'none' };
	const parsed = tryParseExactJson(text);
	if ('value' in parsed) return { kind: 'json', value: parsed.value };
	const type = headerText(response.headers, 'content-type');
	// Bytes that are not UTF-8 are a file unless a character set is named, whatever the content type.
	const isText = type === '' || TEXT_TYPE.test(type);
	const isReadable = /charset/i.test(type) || (isUtf8(response.body) && !response.body.includes(0));
	if (!isText || !isReadable) return { kind: 'file' };
	return { kind: 'text', text, isBroken: /json/i.test(type) || /^\s*[[{]/.test(text) };
}
