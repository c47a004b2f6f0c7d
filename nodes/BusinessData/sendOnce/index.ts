export { guardRun } from './rerunGuard';
export { AlreadySentError, SendOnce } from './sendOnce';
export { requireWorkflow } from './storeErrors';
