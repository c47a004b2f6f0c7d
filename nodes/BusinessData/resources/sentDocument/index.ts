import type { Resource } from '../../operations/operation';
import { get } from './get.operation';
import { markAsSent } from './markAsSent.operation';
import { release } from './release.operation';

export const sentDocument: Resource = {
	option: {
		name: 'Sent Document',
		value: 'sentDocument',
		description: 'What is remembered about a Send Once Key',
	},
	operations: [get, markAsSent, release],
	defaultOperation: 'get',
};
