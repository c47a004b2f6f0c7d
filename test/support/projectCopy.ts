/** A copy of the project in which code can be changed, built and tested. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const PROJECT_FOLDER = join(__dirname, '..', '..');
/** Output of tools, and the packages, which the copy shares with the original. */
const LEFT_OUT = ['.git', 'node_modules', 'coverage', 'reports', 'screenshots'];

export class ProjectCopy {
	readonly folder = mkdtempSync(join(tmpdir(), 'project-copy-'));

	constructor() {
		const filter = (path: string) => !LEFT_OUT.includes(basename(path));
		cpSync(PROJECT_FOLDER, this.folder, { recursive: true, filter });
		const packages = join(PROJECT_FOLDER, 'node_modules');
		symlinkSync(packages, join(this.folder, 'node_modules'), 'junction');
	}

	/** @throws if the diff does not apply to the code */
	apply(diff: string, ...options: string[]): void {
		// On Windows, git is often set to convert line endings.
		execFileSync('git', ['-c', 'core.autocrlf=false', 'apply', ...options], {
			cwd: this.folder,
			input: diff,
			// Inside a repository, git would take the paths as relative to its root.
			env: { ...process.env, GIT_CEILING_DIRECTORIES: dirname(this.folder) },
		});
	}

	/** Runs a program of a package. Returns whether it succeeds within `timeout` (ms). */
	run(program: string, parameters: string[], timeout: number): boolean {
		const file = join('node_modules', program);
		// One failure is enough.
		const env = { ...process.env, FAIL_FAST: 'true' };
		const bounds = { timeout, killSignal: 'SIGKILL' } as const;
		const options = { cwd: this.folder, env, stdio: 'ignore', ...bounds } as const;
		return spawnSync(process.execPath, [file, ...parameters], options).status === 0;
	}

	remove(): void {
		rmSync(this.folder, { recursive: true, force: true });
	}
}
