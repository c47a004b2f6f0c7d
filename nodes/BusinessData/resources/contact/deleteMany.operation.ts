import { deleteManyOperation } from '../../operations/deleteMany';

export const deleteMany = deleteManyOperation(
	'contact',
	'contacts',
	({ contactDelete }) => contactDelete,
);
