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
		const { plays, failures, failure } = await explore(
			new Orders(settings, await LuaRedis.load()),
			wide,
		);
		expect({ failures, failure }).toEqual({ failures: 0, failure: undefined });
		report(`Two runs with one key and ${name}: all of ${plays} orders`);
	},
	3_600_000,
);
