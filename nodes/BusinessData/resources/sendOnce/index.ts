/** Send Once: what has a key goes out once. */
export { sendOnceOptions } from './options';
export { SendOnce, UsedBeforeError } from './sendOnce';
