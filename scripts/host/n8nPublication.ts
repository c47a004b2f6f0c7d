// Activates and deactivates the triggers of a workflow, in any version of n8n.
import { setTimeout as sleep } from 'node:timers/promises';
import { N8nResponseError, type N8nConnection } from './n8nConnection';

const SECONDS_FOR_A_PUBLICATION = 180;
const SECONDS_BETWEEN_LOOKS = 0.05;

/** The state of publishing or unpublishing a workflow. */
interface Publication {
	status: 'in_progress' | 'not_published' | 'published' | 'partial' | 'failed';
	triggers: { errorMessage: string | null }[];
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
	try {
		await connection.request('POST', `${path}/activate`, { versionId });
	} catch (error) {
		// n8n 1.x has a switch instead of published versions.
		if (!(error instanceof N8nResponseError && error.status === 404)) throw error;
		await connection.request('PATCH', path, { active: true, versionId });
	}
	await waitForPublication(connection, workflowId);
}

/** Deactivates the triggers of a workflow. */
export async function unpublish(connection: N8nConnection, workflowId: string): Promise<void> {
	const path = `/rest/workflows/${workflowId}`;
	try {
		await connection.request('POST', `${path}/deactivate`, {});
	} catch (error) {
		// As above.
		if (!(error instanceof N8nResponseError && error.status === 404)) throw error;
		await connection.request('PATCH', path, { active: false });
	}
	await waitForPublication(connection, workflowId);
}

/** Newer versions of n8n respond at once, and activate or deactivate the triggers afterwards. */
async function waitForPublication(connection: N8nConnection, workflowId: string): Promise<void> {
	const deadline = performance.now() + SECONDS_FOR_A_PUBLICATION * 1000;
	for (;;) {
		const { status, triggers } = await readPublication(connection, workflowId);
		if (status === 'published' || status === 'not_published') return;
		if (status !== 'in_progress' || performance.now() > deadline) {
			const errors = triggers.flatMap(({ errorMessage }) => errorMessage ?? []);
			throw new Error(`The publication is ${status}: ${errors.join(', ')}`);
		}
		await sleep(SECONDS_BETWEEN_LOOKS * 1000);
	}
}

async function readPublication(
	connection: N8nConnection,
	workflowId: string,
): Promise<Publication> {
	try {
		return await connection.request('GET', `/rest/workflows/${workflowId}/publication-status`);
	} catch (error) {
		if (!(error instanceof N8nResponseError && error.status === 404)) throw error;
		// This n8n has finished before it responded.
		return { status: 'published', triggers: [] };
	}
}
