export type { RedisAddress, RedisNode } from './address';
export { RedisScript } from './client';
export { connectionTo, RedisConnection } from './connection';
export { RedisError } from './failure';
export { KEY_PREFIX } from './keyPrefix';
export { versionsInUse } from './versions';
