/** Send Once: what has a key goes out once. */
export { AlreadySentError, SendOnce } from './sendOnce';
export { requireWorkflow } from './storeErrors';
