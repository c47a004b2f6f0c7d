// Sends a response: complete, truncated, slowly, or not at all.

import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { SandboxResponse } from './responses';
import { pause } from './pause';

/** How a response is sent. */
export type Delivery =
	| { kind: 'complete'; prepared: SandboxResponse }
	/** The headers announce the whole body, but the connection ends after half of it. */
	| { kind: 'truncated'; prepared: SandboxResponse }
	/** A piece of `bytes` bytes every `everyMs` ms. */
	| { kind: 'trickled'; prepared: SandboxResponse; bytes: number; everyMs: number }
	| { kind: 'hangUp' };

const hasNoBody = (status: number): boolean => status === 204 || status === 304;

function* piecesOf(prepared: SandboxResponse, bytes: number): Generator<Buffer> {
	for (const whole of Buffer.isBuffer(prepared.body) ? [prepared.body] : prepared.body) {
		for (let start = 0; start < whole.length; start += bytes) {
			yield whole.subarray(start, start + bytes);
		}
	}
}

async function sendComplete(response: ServerResponse, { status, headers, body }: SandboxResponse) {
	if (!Buffer.isBuffer(body)) {
		response.writeHead(status, headers);
		await pipeline(Readable.from(body), response);
		return;
	}
	if (hasNoBody(status)) response.writeHead(status, headers).end();
	else response.writeHead(status, { ...headers, 'content-length': body.length }).end(body);
}

async function sendTruncated(response: ServerResponse, { status, headers, body }: SandboxResponse) {
	const whole = Buffer.isBuffer(body) ? body : Buffer.from('"xxxx"');
	// One byte too many, so that even an empty body is truncated.
	response.writeHead(status, { ...headers, 'content-length': whole.length + 1 });
	response.flushHeaders();
	const half = whole.subarray(0, Math.floor(whole.length / 2));
	await new Promise((resolve) => response.write(half, resolve));
	response.destroy();
}

/** Sends a response. Rejects if the signal fires or the client disconnects meanwhile. */
export async function deliver(
	delivery: Delivery,
	response: ServerResponse,
	signal: AbortSignal,
): Promise<void> {
	// Use the global clock, which tests may fake; Node.js would use its own.
	if (!response.headersSent) response.setHeader('date', new Date().toUTCString());
	switch (delivery.kind) {
		case 'complete':
			await sendComplete(response, delivery.prepared);
			break;
		case 'truncated':
			await sendTruncated(response, delivery.prepared);
			break;
		case 'trickled': {
			const { prepared, bytes, everyMs } = delivery;
			response.writeHead(prepared.status, prepared.headers);
			for (const piece of piecesOf(prepared, bytes)) {
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
