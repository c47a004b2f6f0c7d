// The engine tests on the packages of the oldest n8n that is supported, and the tests of test/compat in
// that n8n itself; with N8N_HOST, the engine tests on those of another one. It is installed when the configuration is read, the first time on a machine.
const { require: requireTypeScript } = require('tsx/cjs/api');
const base = require('./jest.config');

const { ensureHost } = requireTypeScript('./scripts/host/installN8n.ts', module.filename);

// What the node and the tests' support import themselves. These find all else beside them.
const N8N_PACKAGES = '^(n8n-core|n8n-workflow|@n8n/di|@n8n/backend-common|reflect-metadata)$';

/** @returns {Promise<import('jest').Config>} */
module.exports = async () => {
	const { modulesFolder } = await ensureHost({ version: process.env.N8N_HOST ?? 'n8n-1' });
	return {
		...base,
		roots: ['<rootDir>/test/engine', '<rootDir>/test/compat'],
		// What plays random cases is about the package, not about n8n.
		testPathIgnorePatterns: ['/node_modules/', 'property'],
		// n8n 1.x looks after its SSH connections with a timer that never ends.
		forceExit: true,
		moduleNameMapper: {
			...base.moduleNameMapper,
			[N8N_PACKAGES]: `${modulesFolder}/$1`,
		},
	};
};
