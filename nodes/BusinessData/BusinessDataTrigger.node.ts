/** It polls, because the service has no webhooks. */
import {
	type INodeExecutionData,
	type INodeProperties,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
	NodeConnectionTypes,
} from 'n8n-workflow';

import { triggerHint } from './builderHints';
import { testCredential } from './credentialTest';
import { changeOptions } from './trigger/changeOptions';
import { incrementalField } from './trigger/incremental';
import { poll } from './trigger/poll';
import { CHANGES, RECORD_NAMES, type SourceName } from './trigger/pollSettings';
import { listOptions } from './lists/listFields';
import { optionsField } from './parameters/requestOptions';

const emitExisting: INodeProperties = {
	displayName: 'Emit Existing',
	name: 'emitExisting',
	type: 'boolean',
	default: false,
	description:
		'Whether the first poll emits every record as created. Otherwise it only remembers them.',
};

/** The Events list of a source. */
function eventsField(source: SourceName): INodeProperties {
	const recordName = RECORD_NAMES[source];
	const title = recordName[0]?.toUpperCase() + recordName.slice(1);

	return {
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		required: true,
		noDataExpression: true,
		displayOptions: { show: { source: [source] } },
		options: CHANGES.map((change) => ({
			name: `${title} ${change}`,
			value: `${recordName}${change}`,
		})),
		default: [`${recordName}Created`, `${recordName}Updated`],
		description:
			'What starts the workflow. A record counts as deleted if it is missing from two complete full reads in a row.',
	};
}

export class BusinessDataTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Business Data Trigger',
		name: 'businessDataTrigger',
		icon: { light: 'file:businessData.svg', dark: 'file:businessData.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: '={{ $parameter["events"].join(", ") }}',
		description:
			'Starts the workflow when contacts, or records of any other list, were created, updated or deleted in your bookkeeping service',
		defaults: { name: 'Business Data Trigger' },
		polling: true,
		builderHint: triggerHint,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		// n8n's linter only reads literals.
		credentials: [{ name: 'businessDataApi', required: true, testedBy: 'testCredential' }],
		properties: [
			{
				displayName: 'Source',
				name: 'source',
				type: 'options',
				noDataExpression: true,
				options: [
					{ name: 'Contacts', value: 'contacts', description: 'The contacts of the business' },
					{
						name: 'Endpoint',
						value: 'endpoint',
						description: 'Any other list, such as payments, by its path',
					},
				],
				default: 'contacts',
				description: 'Which list to watch',
			},
			{
				displayName: 'Path',
				name: 'path',
				type: 'string',
				required: true,
				default: '',
				placeholder: 'e.g. /txndata/getPayments',
				displayOptions: { show: { source: ['endpoint'] } },
				description: 'The path below the base URL of the credential. It is read with GET.',
			},
			eventsField('contacts'),
			eventsField('endpoint'),
			{
				displayName: 'ID Field',
				name: 'idField',
				type: 'string',
				required: true,
				default: 'id',
				placeholder: 'e.g. data.number',
				description: 'The field that identifies a record, as a dot path',
			},
			optionsField([emitExisting, incrementalField, ...changeOptions, ...listOptions], {
				maxWait:
					'How many seconds in total a poll may wait for the rate limits. The next poll reads what is left. With 0, it waits as long as n8n lets a poll run.',
				queryParameters:
					'Parameters to add to the URL. If one of them is an expression, such as a filter "changed since", only changed records are read, and deletions cannot be seen; the option Incremental can do both.',
			}),
		],
	};

	methods = { credentialTest: { testCredential } };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await poll(this);
	}
}
