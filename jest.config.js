/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: 'node',
	roots: ['<rootDir>/test'],
	transform: {
		'^.+\\.ts$': [
			'@swc/jest',
			{
				jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
				module: { type: 'commonjs' },
				sourceMaps: 'inline',
			},
		],
	},
	// The tests run what users get: the built package. Build before you run them.
	moduleNameMapper: {
		'^(?:\\.\\./)+(nodes/BusinessData|credentials)/(.*)$': '<rootDir>/dist/$1/$2',
	},
	maxWorkers: 2,
	testTimeout: 30_000,
	// What talks to Redis needs a real one: test/queue.
	collectCoverageFrom: [
		'dist/nodes/**/*.js',
		'dist/credentials/**/*.js',
		'!dist/nodes/**/redis/**/*.js',
		'!dist/nodes/**/sendOnce/redis*.js',
	],
	coverageReporters: ['text-summary', 'json-summary'],
	coverageThreshold: { global: { statements: 90 } },
};
