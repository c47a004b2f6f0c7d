/** The limits that one key is under, and the names of their windows. */
import type { Limit } from './slotWindow';

/**
 * General limits count every request; those of a scope count, in addition, the requests of that scope.
 * A scope is any name, such as that of an endpoint.
 */
export interface Limits {
	general: Limit[];
	scopes: Record<string, Limit[]>;
}

/** The scope of the general limits in the names of windows. */
export const GENERAL = 'general';

/** The name of a window as users see it, for example `general/60s`. */
export function windowName(scope: string, limit: Limit): string {
	return `${scope}/${limit.windowMs / 1000}s`;
}

/** The longest window (ms) that counts requests of the scope; 0 when there is none. */
export function longestWindowMs(limits: Limits, scope: string | undefined): number {
	const scopeLimits = scope === undefined ? [] : (limits.scopes[scope] ?? []);
	return Math.max(0, ...[...limits.general, ...scopeLimits].map(({ windowMs }) => windowMs));
}
