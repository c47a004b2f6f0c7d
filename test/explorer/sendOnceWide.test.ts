// Send Once without a Redis, in all orders with up to two faults.
import { store as mockStore, testOrders } from './sendOnceOrders';

jest.mock('n8n-core', () => mockStore.core);
testOrders('wide', 'memory');
