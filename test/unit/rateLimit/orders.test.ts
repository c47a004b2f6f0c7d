// The limiter in every order, within bounds that take seconds; `npm run test:simulation` has wider bounds.
import { testLimiterOrders } from '../../explorer/limiterOrders';

testLimiterOrders('narrow');
