const { basename } = require('node:path');

const Sequencer = require('@jest/test-sequencer').default;

/** Small files that take long. */
const FIRST = /directed|orders|estimate|property|architecture|^trigger\.test/;

/** Plays first what takes long also where Jest does not know yet how long: it goes by the sizes of files then. */
module.exports = class extends Sequencer {
	sort(tests) {
		const sorted = super.sort(tests);
		const isFirst = ({ path }) => FIRST.test(basename(path));
		return [...sorted.filter(isFirst), ...sorted.filter((test) => !isFirst(test))];
	}
};
