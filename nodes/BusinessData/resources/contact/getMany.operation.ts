import { ENDPOINTS } from '../../transport/endpoints';
import { getManyOperation } from '../list/getMany';

export const getMany = getManyOperation('contact', 'contacts', ENDPOINTS.getContacts);
