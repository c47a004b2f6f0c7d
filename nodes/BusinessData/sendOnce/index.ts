export { beginRun } from './firstRun';
export { AlreadySentError, SendOnce } from './sendOnce';
export { requireWorkflow } from './storeErrors';
