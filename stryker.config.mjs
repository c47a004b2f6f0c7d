/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	plugins: ['@stryker-mutator/jest-runner'],
	testRunner: 'jest',
	jest: { configFile: 'jest.mutation.config.js', enableFindRelatedTests: false },
	mutate: [
		'nodes/BusinessData/rateLimit/**/*.ts',
		'nodes/BusinessData/sendOnce/**/*.ts',
		'nodes/BusinessData/transport/{attempt,connectionWatch,failure,response,retries,retryAfter}.ts',
		'nodes/BusinessData/trigger/**/*.ts',
	],
	// The engine loads the built package.
	buildCommand: 'npm run build',
	ignorePatterns: ['/dist', '/docs', '/screenshots'],
	tempDirName: 'coverage/mutation',
	reporters: ['clear-text', 'json'],
	jsonReporter: { fileName: 'coverage/mutation.json' },
	clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
	concurrency: 1,
	// A busy machine is no endless loop.
	timeoutMS: 30_000,
};
