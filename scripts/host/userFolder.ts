// The folder of an n8n instance (N8N_USER_FOLDER) and its secrets.
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The account that owns an n8n instance. */
export interface Account {
	email: string;
	/** In clear text, because the account can be used on this machine only. */
	password: string;
	firstName: string;
	lastName: string;
}

/** The folder in which an n8n instance keeps its data. */
export interface UserFolder {
	path: string;
	/** The folder for the logs of its processes. */
	logFolder: string;
	/** The key that encrypts the instance's credentials, shared by all its processes. */
	encryptionKey: string;
	owner: Account;
	/** Removes the folder if it is a temporary one. */
	dispose(): Promise<void>;
}

interface Secrets {
	encryptionKey: string;
	owner: Account;
}

function newSecrets(): Secrets {
	return {
		encryptionKey: randomBytes(24).toString('hex'),
		owner: {
			email: 'demo@example.com',
			// n8n requires a digit and a capital letter. Random, because anyone who can sign in can run programs as this
			// user, and other users of this machine can reach the port.
			password: `Demo-1-${randomUUID().slice(0, 13)}`,
			firstName: 'Demo',
			lastName: 'Owner',
		},
	};
}

async function readOrMakeSecrets(path: string): Promise<Secrets> {
	const file = join(path, 'demo-secrets.json');
	if (existsSync(file)) return JSON.parse(await readFile(file, 'utf8')) as Secrets;
	if (existsSync(join(path, '.n8n'))) {
		throw new Error(
			`${path} belongs to another n8n, whose account and encryption key are not known here. ` +
				'Choose an empty folder with --user-folder.',
		);
	}
	const secrets = newSecrets();
	await writeFile(file, JSON.stringify(secrets, null, 2), { mode: 0o600 });
	return secrets;
}

/**
 * Prepares the folder of an n8n instance.
 *
 * @param keptFolder A new or existing folder, which is never removed; by default a temporary one.
 * @throws If the folder belongs to another n8n.
 */
export async function openUserFolder(keptFolder?: string): Promise<UserFolder> {
	const path =
		keptFolder === undefined
			? await mkdtemp(join(tmpdir(), 'n8n-business-data-'))
			: resolve(keptFolder);
	await mkdir(path, { recursive: true, mode: 0o700 });
	const secrets = await readOrMakeSecrets(path);
	const logFolder = join(path, 'logs');
	await mkdir(logFolder, { recursive: true });
	return {
		path,
		logFolder,
		...secrets,
		dispose: async () => {
			if (keptFolder === undefined) await rm(path, { recursive: true, force: true, maxRetries: 3 });
		},
	};
}
