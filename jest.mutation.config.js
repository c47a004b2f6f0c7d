// For `npm run test:mutation`, which builds the package with all mutants in it.
/** @type {import('jest').Config} */
module.exports = {
	...require('./jest.config.js'),
	roots: ['<rootDir>/test/mutation'],
	testEnvironment: require.resolve('./test/mutation/environment.js'),
};
