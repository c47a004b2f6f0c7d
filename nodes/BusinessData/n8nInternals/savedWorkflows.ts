/** The workflows in n8n's database: a key that is asked for under the ID of none would look like one that was not sent. */
import { findService } from './services';

/** The part of n8n's WorkflowRepository that is used; the same in 1.123 and 2.41. */
interface WorkflowRepository {
	countBy(where: { id: string }): Promise<number>;
}

/**
 * Whether n8n has saved a workflow with this ID; undefined where this n8n does not say.
 * @throws what n8n's database throws
 */
export async function isSavedWorkflow(id: string): Promise<boolean | undefined> {
	const workflows = findService<WorkflowRepository>('@n8n/db', 'WorkflowRepository', ['countBy']);
	return workflows && (await workflows.countBy({ id })) > 0;
}
