// Send Once with a Redis, in all orders with up to two faults.
import { store as mockStore, testSendOnceOrders } from './sendOnceOrders';

jest.mock('n8n-core', () => mockStore.core);
testSendOnceOrders('wide', 'redis');
