import { deleteManyOperation } from '../../operations/deleteMany';

export const deleteMany = deleteManyOperation(
	'transaction',
	'transactions',
	({ transactionDelete }) => transactionDelete,
);
