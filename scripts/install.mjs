// Runs before every npm script that needs the development packages: installs them on a fresh clone, and whenever the
// lock file has changed. Plain JavaScript, because nothing is installed yet.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const lockFile = join(root, 'package-lock.json');
const installedMarker = join(root, 'node_modules', '.package-lock.json');

const isCurrent =
	existsSync(installedMarker) && statSync(installedMarker).mtimeMs >= statSync(lockFile).mtimeMs;

if (!isCurrent) {
	console.log('Installing the development packages (about a minute the first time) …');
	// Install scripts stay off, because the tests do not need the native addons among n8n-core's dependencies.
	const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
		cwd: root,
		stdio: 'inherit',
		shell: process.platform === 'win32',
	});
	process.exit(status ?? 1);
}
