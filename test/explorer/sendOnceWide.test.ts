// Send Once in all orders, with up to two faults; with a Redis, in a file of its own beside this one.
import { store as mockStore, testOrders } from './sendOnceOrders';

jest.mock('n8n-core', () => mockStore.core);
testOrders('wide', 'memory');
