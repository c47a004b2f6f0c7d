import type { Resource } from '../../operations/operation';
import { deleteMany } from './deleteMany.operation';
import { getMany } from './getMany.operation';

export const contact: Resource = {
	option: { name: 'Contact', value: 'contact', description: 'Customers and other contacts' },
	operations: [deleteMany, getMany],
	defaultOperation: 'getMany',
};
