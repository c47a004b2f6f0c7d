// For `npm run test:mutation`: the source, which Stryker changes, instead of the built package.
/** @type {import('jest').Config} */
module.exports = {
	...require('./jest.config.js'),
	moduleNameMapper: {},
	roots: ['<rootDir>/test/mutation'],
	testEnvironment: require.resolve('./test/mutation/environment.js'),
};
