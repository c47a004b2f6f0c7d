/** All resources, in the order of the node's Resource list. */
import type { Resource } from '../operations/operation';
import { apiRequest } from './apiRequest';
import { contact } from './contact';
import { payment } from './payment';
import { rateLimit } from './rateLimit';
import { sentDocument } from './sentDocument';
import { transaction } from './transaction';

export const resources: Resource[] = [
	apiRequest,
	contact,
	payment,
	rateLimit,
	sentDocument,
	transaction,
];
