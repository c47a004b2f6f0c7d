export { MISTAKES } from './foundBySeeds';
export { MISTAKES_FOUND_BY_TESTS } from './foundByTests';
export type { Mistake } from './mistake';
