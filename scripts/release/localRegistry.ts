// A registry for rehearsals on 127.0.0.1: it accepts `npm publish`, and serves packages like npm's own registry.
// verdaccio 6 has 30 dependencies, among them `node-fetch@cjs`, a tag that not every registry knows.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';

import { runNpm } from '../host/npm';

/** The metadata of one version, of which npm and n8n read `dist`. */
interface PublishedVersion {
	name: string;
	version: string;
	dist: { integrity: string; shasum: string; tarball: string };
}

/** All versions of a package. */
interface PackageDocument {
	name: string;
	'dist-tags': Record<string, string>;
	versions: Record<string, PublishedVersion>;
}

/** The body of `npm publish`: the same document for one version, and its tarball in Base64. */
type Publication = PackageDocument & { _attachments: Record<string, { data: string }> };

async function readJson<Value>(request: IncomingMessage): Promise<Value> {
	const parts: Buffer[] = [];
	for await (const part of request) parts.push(part as Buffer);
	return JSON.parse(Buffer.concat(parts).toString()) as Value;
}

/** The registry in npm's configuration, without a trailing slash. */
async function usualRegistry(): Promise<string> {
	let address = '';
	await runNpm({
		parameters: ['config', 'get', 'registry'],
		folder: __dirname,
		// npm may print warnings between its lines.
		onLine: (line) => {
			if (/^https?:/.test(line)) address = line.trim();
		},
	});
	return address.replace(/\/+$/, '');
}

export class LocalRegistry {
	private readonly packages = new Map<string, PackageDocument>();
	/** By path. */
	private readonly tarballs = new Map<string, Buffer>();

	private readonly server = createServer((request, response) => {
		this.respond(request, response).catch((error: unknown) => {
			response.writeHead(500).end(String(error));
		});
	});

	private constructor(private readonly usual: string) {}

	static async start(): Promise<LocalRegistry> {
		const registry = new LocalRegistry(await usualRegistry());
		await new Promise<void>((resolve) => registry.server.listen(0, '127.0.0.1', resolve));
		return registry;
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	/** Publishes a tarball with npm, as a maintainer does. */
	async publish(tarball: string): Promise<void> {
		// npm does not publish without a token. Any token will do here.
		const token = `--//${new URL(this.url).host}/:_authToken=rehearsal`;
		await runNpm({
			parameters: [
				...['publish', tarball, '--access', 'public', '--ignore-scripts'],
				...['--provenance=false', `--registry=${this.url}`, token],
			],
			folder: dirname(tarball),
		});
	}

	private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const path = new URL(request.url ?? '/', this.url).pathname;
		const [name = '', version] = decodeURIComponent(path.slice(1)).split('/');
		if (request.method === 'PUT') {
			this.take(await readJson<Publication>(request));
			response.writeHead(201).end('{}');
			return;
		}
		const tarball = this.tarballs.get(path);
		if (tarball !== undefined) {
			response.end(tarball);
			return;
		}
		const found = this.packages.get(name);
		if (found === undefined) {
			// A dependency of the package.
			response.writeHead(302, { location: `${this.usual}${request.url}` }).end();
			return;
		}
		const wanted = version === undefined ? found : found.versions[version];
		response.writeHead(wanted === undefined ? 404 : 200, { 'content-type': 'application/json' });
		response.end(JSON.stringify(wanted ?? {}));
	}

	private take({ _attachments: attachments, ...sent }: Publication): void {
		const known = this.packages.get(sent.name);
		for (const [version, published] of Object.entries(sent.versions)) {
			if (known?.versions[version] !== undefined)
				throw new Error(`${version} is published already`);
			const path = `/${sent.name}/-/${sent.name}-${version}.tgz`;
			const [attachment] = Object.values(attachments);
			this.tarballs.set(path, Buffer.from(attachment?.data ?? '', 'base64'));
			published.dist.tarball = `${this.url}${path}`;
		}
		this.packages.set(sent.name, {
			...sent,
			'dist-tags': { ...known?.['dist-tags'], ...sent['dist-tags'] },
			versions: { ...known?.versions, ...sent.versions },
		});
	}
}
