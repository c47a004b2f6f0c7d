// Skips the remaining tests once one has failed, because the mutant has been found.
const TestEnvironment = require('../../jest.environment');

module.exports = class extends TestEnvironment {
	hasFailed = false;

	handleTestEvent({ name, test }) {
		if (name === 'test_fn_failure' || name === 'hook_failure') this.hasFailed = true;
		if (name === 'test_start' && this.hasFailed) test.mode = 'skip';
	}
};
