// The limiter's gates in every order, within bounds that take seconds; `npm run test:simulation` has wider bounds.
import { testGates } from '../../explorer/gates';

testGates('narrow');
