/** The limiters of this process, which outlive a test just as they outlive a run of the node. */
import type { Sandbox } from '../../sandbox/server';

/** By key. */
export function limiters(): Map<string, unknown> {
	const name = Symbol.for('n8n-nodes-business-data/limiters/1');
	return (globalThis as { [name]?: Map<string, unknown> })[name] ?? new Map<string, unknown>();
}

/** Resets the service and the limiters, so that no test depends on those before it. */
export function forgetRequests(sandbox: Sandbox): void {
	sandbox.reset();
	limiters().clear();
}
