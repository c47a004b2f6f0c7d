// The limiter in all orders with up to two faults.
import { testGates } from './gates';

testGates('wide');
