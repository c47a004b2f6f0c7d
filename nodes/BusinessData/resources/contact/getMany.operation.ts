/** Contact → Get Many: reads the contacts of the business, page by page where that is set up. */
import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { ENDPOINTS } from '../../transport/endpoints';
import { readFlag, readWholeNumber } from '../../transport/settingValues';
import { toItem } from '../answerItems';
import { type Operation, shownFor } from '../operation';
import { readEach } from '../readEach';
import { optionsField, readRequestOptions } from '../requestOptions';
import type { Run } from '../run';
import { listFields } from './listFields';
import { readListSettings, readPages } from './pages';

const fields: INodeProperties[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 50,
		displayOptions: { show: { returnAll: [false] } },
		description: 'Max number of results to return',
	},
	optionsField(listFields),
];

export const getMany: Operation = {
	option: {
		name: 'Get Many',
		value: 'getMany',
		action: 'Get many contacts',
		description: 'Read the contacts of the business that the API key belongs to',
	},
	description: shownFor('contact', 'getMany', fields),
	execute: async (run) => await readEach(run, async (index) => await getContacts(run, index)),
};

async function getContacts(run: Run, index: number): Promise<INodeExecutionData[]> {
	const isAll = readFlag('Return All', run.parameter<unknown>('returnAll', index, false));
	const limit = isAll ? Infinity : readLimit(run.parameter<unknown>('limit', index, 50));
	const settings = readListSettings(run.options(index));
	const { method, path } = ENDPOINTS.getContacts;
	const request = { endpoint: { method, path }, ...readRequestOptions(run, index) };
	const items: INodeExecutionData[] = [];
	for await (const page of readPages(run.client, request, settings)) {
		for (const contact of page) {
			if (items.length < limit) items.push(toItem(contact, index));
		}
		if (items.length >= limit) break;
	}
	return items;
}

function readLimit(value: unknown): number {
	return readWholeNumber('Limit', value, { least: 1 }, 'Enter a number, or switch Return All on.');
}
