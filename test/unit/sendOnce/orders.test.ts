// Send Once in every order, within bounds that take seconds; `npm run test:simulation` has wider bounds.
import { store as mockStore, testSendOnceOrders } from '../../explorer/sendOnceOrders';

jest.mock('n8n-core', () => mockStore.core);
testSendOnceOrders('narrow');
