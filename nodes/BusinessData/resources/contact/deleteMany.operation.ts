import { deleteManyOperation } from '../../operations/deleteMany';

export const deleteMany = deleteManyOperation('contacts', 'contactDelete');
