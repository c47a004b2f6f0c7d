/** A copy of the project in which mistakes are planted, one after the other, and tests run. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { apply, PACKAGE_FOLDER, type Patch } from '../process/modules';

/** Made by tools; with the packages, the copy shares the original's. */
const LEFT_OUT = ['.git', 'node_modules', 'coverage', 'reports', 'screenshots'];

/** Many times what the tests of one file take, on a busy machine. */
const LONGEST_RUN_MS = 180_000;

export class ProjectCopy {
	private readonly folder = mkdtempSync(join(tmpdir(), 'planted-mistakes-'));

	constructor() {
		const filter = (path: string) => !LEFT_OUT.includes(basename(path));
		cpSync(PACKAGE_FOLDER, this.folder, { recursive: true, filter });
		symlinkSync(
			join(PACKAGE_FOLDER, 'node_modules'),
			join(this.folder, 'node_modules'),
			'junction',
		);
	}

	/** Whether the tests of these files pass although the patches are applied. */
	passes(tests: string[], patches: Patch[]): boolean {
		const files = new Map<string, string>();
		for (const patch of patches) {
			const file = join(this.folder, 'dist', patch.file);
			const text = readFileSync(file, 'utf8');
			if (!files.has(file)) files.set(file, text);
			writeFileSync(file, apply(text, patch));
		}
		const jest = join('node_modules', 'jest', 'bin', 'jest.js');
		const run = spawnSync(process.execPath, [jest, ...tests], {
			...{ cwd: this.folder, stdio: 'pipe' },
			// A mistake may leave a loop without end.
			...{ timeout: LONGEST_RUN_MS, killSignal: 'SIGKILL' },
		});
		for (const [file, text] of files) writeFileSync(file, text);
		return run.status === 0;
	}

	remove(): void {
		rmSync(this.folder, { recursive: true, force: true });
	}
}
