/** The operations that read a list of the service, page by page if pagination is set up. */
import type { INodeProperties } from 'n8n-workflow';

import { type Prepared, requestEach } from '../items/requestEach';
import { toItem } from '../items/responseItems';
import { listOptions } from '../lists/listFields';
import { readListSettings } from '../lists/listSettings';
import type { Page } from '../lists/pages';
import { readItems } from '../lists/readItems';
import { optionsField, readRequestOptions } from '../parameters/requestOptions';
import type { Run } from '../run/run';
import type { Endpoint } from '../transport/endpoints';
import { readFlag, readWholeNumber } from '../values/settingValues';
import type { Operation } from './operation';

/** @param plural what is read, for example `contacts` */
export function getManyOperation(plural: string, endpoint: Endpoint): Operation {
	return {
		option: {
			name: 'Get Many',
			value: 'getMany',
			action: `Get many ${plural}`,
			description: `Read the ${plural} of the business that the API key belongs to`,
		},
		fields,
		execute: async (run) =>
			await requestEach(run, (itemIndex) => prepare(run, itemIndex, endpoint)),
	};
}

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
	optionsField(listOptions),
];

const LIMIT_HELP = 'Enter a number, or switch Return All on.';

function prepare(run: Run, itemIndex: number, endpoint: Endpoint): Prepared {
	const isAll = readFlag('Return All', run.parameter('returnAll', itemIndex, false));
	const limit = isAll
		? Infinity
		: readWholeNumber('Limit', run.parameter('limit', itemIndex, 50), { least: 1 }, LIMIT_HELP);
	const settings = readListSettings(run.options(itemIndex));
	const request = { endpoint, ...readRequestOptions(run, itemIndex) };
	const toItems = ({ records }: Page) => records.map(toItem);
	const read = async () => await readItems(run, request, settings, limit, toItems);
	return { request, read };
}
