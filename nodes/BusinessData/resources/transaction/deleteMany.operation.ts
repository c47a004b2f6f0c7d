import { deleteManyOperation } from '../bulkDelete';

export const deleteMany = deleteManyOperation(
	'transaction',
	'transactions',
	({ transactionDelete }) => transactionDelete,
);
