/** Encodes multipart bodies (RFC 7578) into one Buffer, as `ConnectionWatch` requires. */
import { hashOf } from '../values/hash';

export interface FileFacts {
	fileName: string;
	mimeType: string;
	/** In bytes. */
	size: number;
	sha256: string;
}

/** A text, or the facts about a file, whose content is separate. */
export type Part = { name: string; value: string } | ({ name: string } & FileFacts);

/** Not random, so that the same document always makes the same body. */
export function boundaryOf(parts: Part[]): string {
	return hashOf(parts);
}

/** @param parts each with a function that reads its content */
export async function encodeMultipart(parts: Map<Part, () => Promise<Buffer>>): Promise<Buffer> {
	const boundary = boundaryOf([...parts.keys()]);
	const chunks: Buffer[] = [];
	for (const [part, read] of parts) {
		chunks.push(Buffer.from(`--${boundary}\r\n${headersOf(part)}\r\n\r\n`), await read());
		chunks.push(Buffer.from('\r\n'));
	}
	return Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]);
}

function headersOf(part: Part): string {
	const disposition = `Content-Disposition: form-data; name="${quoted(part.name)}"`;
	if ('value' in part) return disposition;
	return `${disposition}; filename="${quoted(part.fileName)}"\r\nContent-Type: ${part.mimeType}`;
}

/** Escaped as in browsers (https://html.spec.whatwg.org/#multipart-form-data). */
function quoted(text: string): string {
	return text.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22');
}
