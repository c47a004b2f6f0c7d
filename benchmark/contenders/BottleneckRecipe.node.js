// The usual recipe for several limits: a chain of Bottleneck limiters, one per window, each with a reservoir that is
// refreshed once per window. All workflows of the process share the limiters of an address, which is better than the
// recipe with separate limiters in each run.
const Bottleneck = require('bottleneck');
const { contenderNode } = require('./contenderNode');

const limitersByUrl = new Map();

function chainedLimiters(windows) {
	const limiters = windows.map(
		({ max, windowMs }) =>
			new Bottleneck({
				reservoir: max,
				reservoirRefreshAmount: max,
				reservoirRefreshInterval: windowMs,
			}),
	);
	limiters.reduce((limiter, next) => {
		limiter.chain(next);
		return next;
	});
	return limiters[0];
}

exports.BottleneckRecipe = contenderNode('bottleneckRecipe', { windows: '[]' }, (read) => {
	const url = read('url');
	const limiter = limitersByUrl.get(url) ?? chainedLimiters(JSON.parse(read('windows')));
	limitersByUrl.set(url, limiter);
	return (send) => limiter.schedule(send);
});
