// Puts an answer on the wire: complete, cut off, drop by drop, or not at all.

import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Answer } from './answers';
import { pause } from './pause';

/** How an answer reaches the client. */
export type Delivery =
	| { kind: 'complete'; answer: Answer }
	/** The headers promise the whole body, the connection ends after half of it. */
	| { kind: 'truncated'; answer: Answer }
	/** So many bytes at a time, one piece every `everyMs` (ms). */
	| { kind: 'trickled'; answer: Answer; bytes: number; everyMs: number }
	| { kind: 'hangUp' };

const hasNoBody = (status: number): boolean => status === 204 || status === 304;

function* piecesOf(answer: Answer, bytes: number): Generator<Buffer> {
	for (const whole of Buffer.isBuffer(answer.body) ? [answer.body] : answer.body) {
		for (let start = 0; start < whole.length; start += bytes) {
			yield whole.subarray(start, start + bytes);
		}
	}
}

async function sendComplete(response: ServerResponse, { status, headers, body }: Answer) {
	if (!Buffer.isBuffer(body)) {
		response.writeHead(status, headers);
		await pipeline(Readable.from(body), response);
		return;
	}
	if (hasNoBody(status)) response.writeHead(status, headers).end();
	else response.writeHead(status, { ...headers, 'content-length': body.length }).end(body);
}

async function sendTruncated(response: ServerResponse, { status, headers, body }: Answer) {
	const whole = Buffer.isBuffer(body) ? body : Buffer.from('"xxxx"');
	// One byte more than there is, so that even an empty body comes out cut off.
	response.writeHead(status, { ...headers, 'content-length': whole.length + 1 });
	response.flushHeaders();
	const half = whole.subarray(0, Math.floor(whole.length / 2));
	await new Promise((resolve) => response.write(half, resolve));
	response.destroy();
}

/** Sends an answer. Rejects when the signal fires or the client goes away in the middle of it. */
export async function deliver(
	delivery: Delivery,
	response: ServerResponse,
	signal: AbortSignal,
): Promise<void> {
	// By the clock that the rest goes by, which in tests may be another than Node.js's own.
	if (!response.headersSent) response.setHeader('date', new Date().toUTCString());
	switch (delivery.kind) {
		case 'complete':
			await sendComplete(response, delivery.answer);
			break;
		case 'truncated':
			await sendTruncated(response, delivery.answer);
			break;
		case 'trickled': {
			const { answer, bytes, everyMs } = delivery;
			response.writeHead(answer.status, answer.headers);
			for (const piece of piecesOf(answer, bytes)) {
				if (response.destroyed) return;
				response.write(piece);
				await pause(everyMs, signal);
			}
			response.end();
			break;
		}
		case 'hangUp':
			response.destroy();
			break;
	}
}
