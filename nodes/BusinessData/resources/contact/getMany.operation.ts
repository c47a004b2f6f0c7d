import { ENDPOINTS } from '../../transport/endpoints';
import { getManyOperation } from '../../operations/getMany';

export const getMany = getManyOperation('contacts', ENDPOINTS.getContacts);
