import { deleteManyOperation } from '../bulkDelete';

export const deleteMany = deleteManyOperation(
	'contact',
	'contacts',
	({ contactDelete }) => contactDelete,
);
