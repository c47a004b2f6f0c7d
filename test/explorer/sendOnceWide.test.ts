// Send Once in all orders, with up to two faults.

import { LuaRedis } from '../support/luaRedis';
import { report } from '../support/report';
import { explore } from './explorer';
import { ORDERS, Orders, store as mockStore } from './sendOnceOrders';

jest.mock('n8n-core', () => mockStore.core);
beforeAll(async () => await mockStore.load());

test.each(ORDERS)(
	'two runs and $name',
	async ({ name, settings, wide }) => {
		const { plays, failure } = await explore(new Orders(settings, await LuaRedis.load()), wide);
		expect(failure).toBeUndefined();
		report(`Two runs with one key and ${name}: all of ${plays} orders`);
	},
	3_600_000,
);
