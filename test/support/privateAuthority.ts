/** A private certificate authority, made by `openssl`, in a folder that goes with it. */
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

	/** For servers under a certificate for this name. */
	settingsFor(name: string): TlsSettings {
		const [key, request, certificate] = ['key', 'csr', 'crt'].map((ending) => `${name}.${ending}`);
		this.openssl(
			...['req', ...NEW_KEY, '-keyout', key ?? '', '-out', request ?? ''],
			...['-subj', '/CN=a Redis'],
		);
		writeFileSync(join(this.folder, 'extensions'), `subjectAltName=DNS:${name}\n`);
		this.openssl(
			...['x509', '-req', '-in', request ?? '', '-out', certificate ?? '', '-days', '2'],
			...['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'extensions'],
		);
		const path = (file = '') => join(this.folder, file);
		return (port) => [
			...['--port', '0', '--tls-port', String(port)],
			...['--tls-replication', 'yes', '--tls-cluster', 'yes'],
			...['--tls-cert-file', path(certificate), '--tls-key-file', path(key)],
			...['--tls-ca-cert-file', path('ca.crt'), '--tls-auth-clients', 'no'],
		];
	}

	dispose(): void {
		rmSync(this.folder, { recursive: true, force: true });
	}

	private openssl(...parameters: string[]): void {
		execFileSync('openssl', parameters, { cwd: this.folder, stdio: 'pipe' });
	}
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
