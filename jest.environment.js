const { AsyncLocalStorage } = require('node:async_hooks');
const channels = require('node:diagnostics_channel');

const { TestEnvironment } = require('jest-environment-node');

// The files of a worker have modules of their own, but share Node's. What a file leaves there keeps its modules in
// memory, and takes time of every promise and request of those behind it.
const storages = new Set();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...parameters) {
	storages.add(this);
	return run.apply(this, parameters);
};
const subscriptions = new Set();
const { subscribe } = channels;
channels.subscribe = (...subscription) => {
	subscriptions.add(subscription);
	subscribe(...subscription);
};

/** Takes back, after each file, what its modules have enabled in Node.js. With `FAIL_FAST`, a file ends at its first failure. */
module.exports = class extends TestEnvironment {
	handleTestEvent({ name, test }) {
		if (process.env.FAIL_FAST === undefined) return;
		this.hasFailed ||= name === 'test_fn_failure';
		if (name === 'test_start' && this.hasFailed) test.mode = 'skip';
	}

	async teardown() {
		for (const storage of storages) storage.disable();
		storages.clear();
		for (const subscription of subscriptions) channels.unsubscribe(...subscription);
		subscriptions.clear();
		await super.teardown();
	}
};
