// The limiter's gates in every order within bounds that take seconds; `npm run test:simulation` has wider ones.

import { explore } from '../../explorer/explorer';
import { Gates, GATES } from '../../explorer/gates';
import { LuaRedis } from '../../support/luaRedis';
import { report } from '../../support/report';

test.each(GATES)(
	'two runs and $name',
	async ({ name, settings, narrow }) => {
		const { plays, failure } = await explore(new Gates(await LuaRedis.load(), settings), narrow);
		expect(failure).toBeUndefined();
		report(`Two runs and ${name}: all of ${plays} orders`);
	},
	600_000,
);
