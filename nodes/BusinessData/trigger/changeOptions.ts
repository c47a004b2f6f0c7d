/** The options for what counts as a change of a record, and as its deletion. */
import type { INodeProperties } from 'n8n-workflow';

export const MAX_DELETION_PERCENT = 50;

export const changeOptions: INodeProperties[] = [
	{
		displayName: 'Changed Fields',
		name: 'changedFields',
		type: 'boolean',
		default: false,
		description: 'Whether to add a list of the changed fields to updated records',
	},
	{
		displayName: 'Deleted When',
		name: 'deletedWhen',
		type: 'fixedCollection',
		placeholder: 'Add Deleted When',
		default: {},
		description:
			'How the service marks a deleted record if it stays in the list. Such a record is emitted as deleted at once.',
		options: [
			{
				displayName: 'Deleted When',
				name: 'values',
				values: [
					{
						displayName: 'Field',
						name: 'field',
						type: 'string',
						default: '',
						placeholder: 'e.g. status',
						description: 'The field of a record, as a dot path',
					},
					{
						displayName: 'Value',
						name: 'value',
						type: 'string',
						default: '',
						placeholder: 'e.g. archived, deleted',
						description:
							'The value of that field in a deleted record, compared as text. Separate several values by commas. * stands for any value that is not empty, false or 0, such as a time.',
					},
				],
			},
		],
	},
	{
		displayName: 'Ignore Fields',
		name: 'ignoreFields',
		type: 'string',
		default: '',
		placeholder: 'e.g. lastViewedAt, lines.stock',
		description:
			'Fields whose changes are ignored, as comma-separated dot paths. A path passes through lists.',
	},
	{
		displayName: 'Max Deletion Percent',
		name: 'maxDeletionPercent',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 100 },
		default: MAX_DELETION_PERCENT,
		description:
			'The percentage of the known records, if there are at least 10, that one poll may emit as deleted. More are withheld with an error, because a key that sees fewer records looks the same. With 100, there is no guard.',
	},
	{
		displayName: 'Watch Fields',
		name: 'watchFields',
		type: 'string',
		default: '',
		placeholder: 'e.g. name, address.city, lines.amount',
		description:
			'The only fields whose changes count, as comma-separated dot paths. A path passes through lists. Leave empty to watch all fields.',
	},
];
