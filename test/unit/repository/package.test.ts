// npm publishes the built node and its documents, and nothing else.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

import { type PackedPackage, packPackage } from '../../../scripts/host/packPackage';
import { manifest, PROJECT_FOLDER } from './projectFiles';

const entryPoints = [...manifest.n8n.credentials, ...manifest.n8n.nodes];

let folder: string;
let packed: PackedPackage;
beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), 'package-'));
	packed = await packPackage(PROJECT_FOLDER, join(folder, 'packages'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the tarball', () => {
	let paths: string[];
	beforeAll(() => {
		// By name only: GNU tar reads the C: of a Windows path as a host name.
		const list = execFileSync('tar', ['-tzf', basename(packed.tarball)], {
			cwd: dirname(packed.tarball),
			encoding: 'utf8',
		});
		paths = list
			.trim()
			.split(/\r?\n/)
			.map((path) => path.replace(/^package\//, ''));
	});

	test('contains dist, the documents and package.json, and nothing else', () => {
		const outside = paths.filter((path) => !path.startsWith('dist/'));
		expect(outside.sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
	});

	test('contains no sources, maps, types, tests or stale files in dist', () => {
		const built = paths.filter((path) => path.startsWith('dist/'));
		expect(built.length).toBeGreaterThan(50);
		for (const path of built) {
			expect(path).toMatch(/^dist\/(nodes\/BusinessData|credentials)\/[\w/.-]+\.(js|json|svg)$/);
			expect(path).not.toMatch(/\.test\.|\/test\/|\.map$|\.d\.ts$|tsbuildinfo/i);
			// A built file without a source is stale.
			const source = path.replace(/^dist\//, '').replace(/\.js$/, '.ts');
			expect([source, existsSync(join(PROJECT_FOLDER, source))]).toEqual([source, true]);
		}
	});

	test('contains the files that package.json names, a codex for each node, and the icons', () => {
		expect(paths).toEqual(expect.arrayContaining(entryPoints));
		const codexes = manifest.n8n.nodes.map((node) => node.replace(/\.js$/, '.json'));
		expect(paths).toEqual(expect.arrayContaining(codexes));
		expect(paths.filter((path) => path.endsWith('.svg'))).toHaveLength(2);
	});
});

test('package.json has n8n-workflow as a peer, and pins three dependencies to exact versions', () => {
	expect(manifest.keywords).toContain('n8n-community-node-package');
	expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
	expect(Object.keys(manifest.dependencies)).toEqual(['bottleneck', 'ioredis', 'lossless-json']);
	expect(Object.values(manifest.dependencies).join(' ')).toMatch(/^(\d+\.\d+\.\d+ ?){3}$/);
});
