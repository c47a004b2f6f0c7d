// The limiter in all orders with up to two faults.
import { testLimiterOrders } from './limiterOrders';

testLimiterOrders('wide');
