// The tests of connections with the HTTP client that n8n 2.0 brings: it gives up a request at another time
// than later ones.
const base = require('./jest.config');

/** @type {import('jest').Config} */
module.exports = {
	...base,
	testMatch: ['<rootDir>/test/engine/{connections,headers,failures,cancel,requestBodies}.test.ts'],
	moduleNameMapper: { ...base.moduleNameMapper, '^axios$': 'axios-1.12' },
};
