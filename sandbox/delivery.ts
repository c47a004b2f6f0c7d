// Sends a response: complete, truncated, or not at all.

import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { bytesOf, type SandboxResponse } from './responses';

/** A response, or none: then the connection ends. */
export type Delivery = SandboxResponse | 'hangUp';

const hasNoBody = (status: number): boolean => status === 204 || status === 304;

/** The headers announce a whole body, but the connection ends after half of it. */
async function sendTruncated(response: ServerResponse, prepared: SandboxResponse): Promise<void> {
	const whole = bytesOf(prepared);
	// One byte too many, so that even an empty body is truncated.
	const headers = { ...prepared.headers, 'content-length': whole.length + 1 };
	response.writeHead(prepared.status, headers).flushHeaders();
	const half = whole.subarray(0, Math.floor(whole.length / 2));
	await new Promise((resolve) => response.write(half, resolve));
	response.destroy();
}

/** Sends a response. Rejects if the client disconnects meanwhile, or if a wait in the body is ended. */
export async function deliver(delivery: Delivery, response: ServerResponse): Promise<void> {
	if (delivery === 'hangUp') {
		response.destroy();
		return;
	}
	// Use the global clock, which tests may fake; Node.js would use its own.
	if (!response.headersSent) response.setHeader('date', new Date().toUTCString());
	const { status, headers, body, isTruncated } = delivery;
	if (isTruncated === true) return await sendTruncated(response, delivery);
	if (!Buffer.isBuffer(body)) {
		response.writeHead(status, headers);
		await pipeline(Readable.from(body), response);
	} else if (hasNoBody(status)) response.writeHead(status, headers).end();
	else response.writeHead(status, { ...headers, 'content-length': body.length }).end(body);
}
