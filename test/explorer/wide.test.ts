// The limiter's gates in all orders, with up to two faults.

import { LuaRedis } from '../support/luaRedis';
import { report } from '../support/report';
import { explore } from './explorer';
import { Gates, GATES } from './gates';

test.each(GATES)(
	'two runs and $name',
	async ({ name, settings, wide }) => {
		const { plays, failure } = await explore(new Gates(await LuaRedis.load(), settings), wide);
		expect(failure).toBeUndefined();
		report(`Two runs and ${name}: all of ${plays} orders`);
	},
	3_600_000,
);
