// Send Once in every order within bounds that take seconds; `npm run test:simulation` has wider ones.

import { explore } from '../../explorer/explorer';
import { ORDERS, Orders, store as mockStore } from '../../explorer/sendOnceOrders';
import { LuaRedis } from '../../support/luaRedis';
import { report } from '../../support/report';

jest.mock('n8n-core', () => mockStore.core);
beforeAll(async () => await mockStore.load());

test.each(ORDERS)(
	'two runs and $name',
	async ({ name, settings, narrow }) => {
		const { plays, failure } = await explore(new Orders(settings, await LuaRedis.load()), narrow);
		expect(failure).toBeUndefined();
		report(`Two runs with one key and ${name}: all of ${plays} orders`);
	},
	600_000,
);
