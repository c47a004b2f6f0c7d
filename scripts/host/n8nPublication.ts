// Activates and deactivates the triggers of a workflow, in any version of n8n.
import { setTimeout as sleep } from 'node:timers/promises';
import { N8nResponseError, type N8nConnection } from './n8nConnection';

const SECONDS_FOR_A_PUBLICATION = 180;
const SECONDS_BETWEEN_CHECKS = 0.05;

/** The state of publishing or unpublishing a workflow. */
interface Publication {
	status: 'in_progress' | 'not_published' | 'published' | 'partial' | 'failed';
	triggers: { errorMessage: string | null }[];
}

/** n8n 1.x has finished before it responds. */
const FINISHED: Publication = { status: 'published', triggers: [] };

/** Makes a request that n8n 1.x responds to with 404, and then the other one. */
async function orElse<T>(request: Promise<T>, older: () => T | Promise<T>): Promise<T> {
	return await request.catch(async (error: unknown) => {
		if (error instanceof N8nResponseError && error.status === 404) return await older();
		throw error;
	});
}

/**
 * Publishes a workflow and waits until its triggers are active.
 *
 * @throws Also if one of them cannot be activated.
 */
export async function publish(
	connection: N8nConnection,
	workflowId: string,
	versionId: string | undefined,
): Promise<void> {
	const path = `/rest/workflows/${workflowId}`;
	// n8n 1.x has a switch instead of published versions.
	const older = () => connection.request('PATCH', path, { active: true, versionId });
	await orElse(connection.request('POST', `${path}/activate`, { versionId }), older);
	await waitForPublication(connection, workflowId);
}

/** Deactivates the triggers of a workflow. */
export async function unpublish(connection: N8nConnection, workflowId: string): Promise<void> {
	const path = `/rest/workflows/${workflowId}`;
	const older = () => connection.request('PATCH', path, { active: false });
	await orElse(connection.request('POST', `${path}/deactivate`, {}), older);
	await waitForPublication(connection, workflowId);
}

/** Newer versions of n8n respond at once, and activate or deactivate the triggers afterwards. */
async function waitForPublication(connection: N8nConnection, workflowId: string): Promise<void> {
	const deadline = performance.now() + SECONDS_FOR_A_PUBLICATION * 1000;
	const path = `/rest/workflows/${workflowId}/publication-status`;
	for (;;) {
		const reading = connection.request<Publication>('GET', path);
		const { status, triggers } = await orElse(reading, () => FINISHED);
		if (status === 'published' || status === 'not_published') return;
		if (status !== 'in_progress' || performance.now() > deadline) {
			const errors = triggers.flatMap(({ errorMessage }) => errorMessage ?? []);
			throw new Error(`The publication is ${status}: ${errors.join(', ')}`);
		}
		await sleep(SECONDS_BETWEEN_CHECKS * 1000);
	}
}
