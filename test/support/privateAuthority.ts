/** A private certificate authority, made by `openssl`, in a folder that is removed with it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { TlsSettings } from './redisServer';

export class PrivateAuthority {
	private readonly folder = mkdtempSync(join(tmpdir(), 'authority-'));

	constructor() {
		this.openssl(
			...['req', '-x509', ...NEW_KEY, '-keyout', 'ca.key', '-out', 'ca.crt', '-days', '2'],
			...['-subj', '/CN=A private authority', '-addext', 'keyUsage=critical,keyCertSign'],
		);
	}

	/** Its certificate (PEM). */
	get certificate(): string {
		return readFileSync(join(this.folder, 'ca.crt'), 'utf8');
	}

	/** The key and the certificate (PEM) of a server with these names, such as `IP:127.0.0.1,DNS:localhost`. */
	serverFor(names: string): { key: string; cert: string } {
		const [key, certificate] = this.issue('server', names);
		return { key: readFileSync(key, 'utf8'), cert: readFileSync(certificate, 'utf8') };
	}

	/** Settings of Redis servers with a certificate for this name. */
	settingsFor(name: string): TlsSettings {
		const [key, certificate] = this.issue(name, `DNS:${name}`);
		return (port) => [
			...['--port', '0', '--tls-port', String(port)],
			...['--tls-replication', 'yes', '--tls-cluster', 'yes'],
			...['--tls-cert-file', certificate, '--tls-key-file', key],
			...['--tls-ca-cert-file', join(this.folder, 'ca.crt'), '--tls-auth-clients', 'no'],
		];
	}

	private issue(name: string, names: string): [key: string, certificate: string] {
		const path = (ending: string) => join(this.folder, `${name}.${ending}`);
		const key = path('key');
		const request = path('csr');
		const certificate = path('crt');
		this.openssl('req', ...NEW_KEY, '-keyout', key, '-out', request, '-subj', '/CN=a server');
		writeFileSync(path('ext'), `subjectAltName=${names}\n`);
		this.openssl(
			...['x509', '-req', '-in', request, '-out', certificate, '-days', '2'],
			...['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', path('ext')],
		);
		return [key, certificate];
	}

	dispose(): void {
		rmSync(this.folder, { recursive: true, force: true });
	}

	private openssl(...parameters: string[]): void {
		execFileSync('openssl', parameters, { cwd: this.folder, stdio: 'pipe' });
	}
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
