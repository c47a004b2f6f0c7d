import { deleteManyOperation } from '../../operations/deleteMany';

export const deleteMany = deleteManyOperation('transactions', 'transactionDelete');
