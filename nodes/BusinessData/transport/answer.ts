/** An answer of the service: its body read with a bound, and what the body says. */
import type { Readable } from 'node:stream';

import { tryParseJson } from './json';
import { redactKey } from './redact';
import { CHECK_BEFORE_REPEATING, RequestError } from './requestError';

export interface Answer {
	statusCode: number;
	headers: Record<string, unknown>;
	/** At most `LARGEST_BODY_BYTES`, without the key. */
	body: Buffer;
	/** Whether it answers more than a read, so that an answer that cannot be used is no reason to repeat. */
	mayHaveActed?: boolean;
}

/** Larger bodies are refused, so that no answer can exhaust n8n's memory. */
export const LARGEST_BODY_BYTES = 64 * 1024 * 1024;

/**
 * Reads the stream to its end.
 * @throws RequestError when the body is too large, or the stream's error when it breaks off
 */
export async function readBody(
	stream: Readable,
	apiKey: string,
	mayHaveActed = false,
): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let length = 0;
	for await (const chunk of stream as AsyncIterable<Buffer>) {
		length += chunk.length;
		// Leaving the loop destroys the stream, and with it the connection.
		if (length > LARGEST_BODY_BYTES) throw tooLarge(mayHaveActed);
		chunks.push(chunk);
	}
	return redactKey(Buffer.concat(chunks), apiKey);
}

/** More of the body of an error says nothing new. */
const LARGEST_ERROR_BYTES = 1024 * 1024;
/** No way of writing the key is longer. */
const LONGEST_KEY_BYTES = 4096;

/** Reads the beginning of an error's body, as far as it comes. Never rejects. */
export async function readErrorBody(stream: Readable, apiKey: string): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let length = 0;
	try {
		for await (const chunk of stream as AsyncIterable<Buffer>) {
			chunks.push(chunk);
			length += chunk.length;
			if (length >= LARGEST_ERROR_BYTES + LONGEST_KEY_BYTES) break;
		}
	} catch {
		// The status says enough.
	}
	// A key that is cut in two would not be found.
	return redactKey(Buffer.concat(chunks), apiKey).subarray(0, LARGEST_ERROR_BYTES);
}

function tooLarge(mayHaveActed: boolean): RequestError {
	const megabytes = LARGEST_BODY_BYTES / 1024 / 1024;
	return new RequestError(`The answer of the service is larger than ${megabytes} MB`, {
		outcome: 'unknown',
		description: withCheck(
			mayHaveActed,
			'Ask for less at once, for example with pagination or a smaller page size.',
		),
	});
}

/** A header as text; empty where there is none. */
export function headerText(headers: Record<string, unknown>, name: string): string {
	const value = headers[name];
	return typeof value === 'string' ? value : '';
}

/** The body as text, by the character set that its content type names. */
export function textOf({ headers, body }: Answer): string {
	const charset = /charset="?([\w-]+)/i.exec(headerText(headers, 'content-type'))?.[1];
	try {
		return new TextDecoder(charset ?? 'utf-8').decode(body);
	} catch {
		// A character set that Node does not know.
		return new TextDecoder().decode(body);
	}
}

/**
 * The body's JSON value; undefined when the body is empty.
 * @throws RequestError when the body is something else, such as a log-in page
 */
export function jsonOf(answer: Answer): unknown {
	const text = textOf(answer);
	if (text.trim() === '') return undefined;
	const parsed = tryParseJson(text);
	if ('value' in parsed) return parsed.value;
	const { statusCode, mayHaveActed = false } = answer;
	if (/^\s*</.test(text)) {
		throw new RequestError(`The service answered ${statusCode} with a web page instead of JSON`, {
			outcome: 'unknown',
			statusCode,
			description: withCheck(
				mayHaveActed,
				'A proxy or a log-in page may stand between n8n and the service. Check the base URL in the credential.',
			),
		});
	}
	throw new RequestError(
		`The service answered ${statusCode} with something that is not JSON (${headerText(answer.headers, 'content-type').slice(0, 80) || 'no content type'})`,
		{
			outcome: 'unknown',
			statusCode,
			description: withCheck(
				mayHaveActed,
				'Check the base URL in the credential. For an answer that is not meant to be JSON, use the resource API Request with the response format Text or File.',
			),
		},
	);
}

function withCheck(mayHaveActed: boolean, description: string): string {
	return mayHaveActed ? `${CHECK_BEFORE_REPEATING} ${description}` : description;
}

const LONGEST_MESSAGE = 300;
const DEEPEST_MESSAGE = 20;
const MESSAGE_KEYS = ['message', 'error', 'detail', 'title', 'error_description', 'errors'];

/** What the service itself says of an error, where the body has a text for it. */
export function messageOf(answer: Answer): string | undefined {
	const text = textOf(answer).trim();
	if (text === '' || text.startsWith('<')) return undefined;
	const parsed = tryParseJson(text);
	// Plain text is the message itself.
	const message = 'value' in parsed ? findMessage(parsed.value) : text;
	if (message === undefined) return undefined;
	const line = message.trim().replace(/\s+/g, ' ');
	return line.length > LONGEST_MESSAGE ? `${line.slice(0, LONGEST_MESSAGE)}…` : line;
}

/** @param level how deep in the body it is looked for */
function findMessage(value: unknown, level = 0): string | undefined {
	if (typeof value === 'string') return value.trim() === '' ? undefined : value;
	if (level === DEEPEST_MESSAGE) return undefined;
	if (Array.isArray(value)) return findMessage(value[0], level + 1);
	if (typeof value !== 'object' || value === null) return undefined;
	const record = value as Record<string, unknown>;
	for (const key of MESSAGE_KEYS) {
		const message = key in record ? findMessage(record[key], level + 1) : undefined;
		if (message !== undefined) return message;
	}
	return undefined;
}
