const swc = (parser) => [
	'@swc/jest',
	{
		jsc: { parser, target: 'es2022' },
		module: { type: 'commonjs' },
		sourceMaps: 'inline',
	},
];

// What the engine makes is short-lived: with more room for it, workers spend a tenth of their time less on garbage.
process.execArgv.push('--max-semi-space-size=64');

/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: '<rootDir>/jest.environment.js',
	roots: ['<rootDir>/test'],
	transform: {
		'^.+\\.ts$': swc({ syntax: 'typescript' }),
		// It imports modules of Node.js while it runs, for which Jest has no support.
		'wasmoon-lua5\\.1': swc({ syntax: 'ecmascript' }),
	},
	transformIgnorePatterns: ['/node_modules/(?!wasmoon-lua5\\.1/)'],
	// The tests run what users get: the built package. Build before you run them.
	moduleNameMapper: {
		'^(?:\\.\\./)+(nodes/BusinessData|credentials)/(.*)$': '<rootDir>/dist/$1/$2',
	},
	testSequencer: '<rootDir>/jest.sequencer.js',
	// One more than the processors of CI, as many files wait for sockets and for processes of their own.
	maxWorkers: 3,
	// The process of a worker that has loaded n8n many times takes a second to end, with nothing left open.
	workerGracefulExitTimeout: 10_000,
	testTimeout: 300_000,
	// What talks to Redis needs a real one: test/queue.
	collectCoverageFrom: [
		'dist/nodes/**/*.js',
		'dist/credentials/**/*.js',
		'!dist/nodes/**/redis/**/*.js',
		'!dist/nodes/**/sendOnce/redis*.js',
	],
	coverageReporters: ['text-summary', 'json-summary'],
	coverageThreshold: { global: { statements: 98, branches: 94 } },
};
