/** How n8n runs its executions, which it does not expose to nodes. */
import { findService } from './services';

/** Whether workers of their own run the executions. False where this n8n does not say. */
export function isQueueMode(): boolean {
	const config = findService<{ executions?: { mode?: unknown } }>(
		'@n8n/config',
		'GlobalConfig',
		[],
	);
	return config?.executions?.mode === 'queue';
}
