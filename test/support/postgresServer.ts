/** A real PostgreSQL for one test, on a loopback port, in a folder that is removed with it. */
import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startProgram } from '../../scripts/host/childProcesses';
import { freePort } from '../../scripts/host/freePort';
import { waitUntil } from './waitUntil';

const STARTUP_MS = 120_000;
/** Where Debian installs its programs, by version. */
const VERSIONS = '/usr/lib/postgresql';
const USER = 'postgres';

/** The settings of an n8n that uses it by this port. */
export function settingsFor(port: number): Record<string, string> {
	return {
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: '127.0.0.1',
		DB_POSTGRESDB_PORT: String(port),
		DB_POSTGRESDB_DATABASE: 'postgres',
		DB_POSTGRESDB_USER: USER,
		DB_POSTGRESDB_PASSWORD: 'any',
	};
}

export class PostgresServer {
	private program: ReturnType<typeof startProgram> | undefined;

	private constructor(
		readonly port: number,
		private readonly folder: string,
	) {}

	static async start(): Promise<PostgresServer> {
		const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
		const server = new PostgresServer(await freePort(), folder);
		if (isRoot()) {
			const [user, group] = ['-u', '-g'].map((which) => Number(execFileSync('id', [which, USER])));
			chownSync(folder, user ?? 0, group ?? 0);
		}
		const data = join(folder, 'data');
		const [initialize = '', ...parameters] = command('initdb', [
			...['-D', data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--no-sync'],
		]);
		execFileSync(initialize, parameters, { cwd: folder, stdio: 'ignore' });
		const [serve = '', ...settings] = command('postgres', [
			...['-D', data, '-p', String(server.port), '-h', '127.0.0.1', '-k', folder, '-F'],
		]);
		server.program = startProgram(serve, settings, { cwd: folder, stdio: 'ignore' });
		await waitUntil(() => server.query('SELECT 1').trim() === '1', STARTUP_MS);
		return server;
	}

	/** The response to a query, as text. */
	query(text: string): string {
		return execFileSync(program('psql'), [...this.client, '-c', text], {
			encoding: 'utf8',
			stdio: ['ignore', 'pipe', 'ignore'],
		});
	}

	/** Locks a table against other writers. Returns a function that unlocks it. */
	async lock(table: string): Promise<() => Promise<void>> {
		const { child, ended } = startProgram(program('psql'), this.client, {
			stdio: ['pipe', 'ignore', 'ignore'],
		});
		child.stdin?.write(`BEGIN; LOCK TABLE ${table} IN EXCLUSIVE MODE;\n`);
		const held = `SELECT 1 FROM pg_locks WHERE mode = 'ExclusiveLock' AND granted AND relation = '${table}'::regclass`;
		await waitUntil(() => this.query(held).trim() === '1');
		return async () => {
			child.stdin?.end();
			await ended;
		};
	}

	/** Stops it and removes its data. */
	async dispose(): Promise<void> {
		this.program?.child.kill('SIGINT');
		await this.program?.ended;
		rmSync(this.folder, { recursive: true, force: true });
	}

	private get client(): string[] {
		return ['-h', '127.0.0.1', '-p', String(this.port), '-U', USER, '-qtA'];
	}
}

const isRoot = () => process.getuid?.() === 0;

function program(name: string): string {
	const [version = ''] = readdirSync(VERSIONS).sort().reverse();
	return join(VERSIONS, version, 'bin', name);
}

/** PostgreSQL refuses to run as root. */
function command(name: string, parameters: string[]): string[] {
	const own = [program(name), ...parameters];
	return isRoot()
		? ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups', ...own]
		: own;
}
