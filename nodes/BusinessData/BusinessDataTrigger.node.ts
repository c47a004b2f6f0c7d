/** The trigger: its identity and its fields. It polls, because the service has no events to send. */
import {
	type INodeExecutionData,
	type INodeProperties,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
	NodeConnectionTypes,
} from 'n8n-workflow';

import { poll } from './contactChanges/poll';
import { listFields } from './resources/list/listFields';
import { optionsField } from './resources/requestOptions';
import { CREDENTIAL_TYPE } from './transport/account';

const emitExisting: INodeProperties = {
	displayName: 'Emit Existing',
	name: 'emitExisting',
	type: 'boolean',
	default: false,
	description:
		'Whether the first poll emits every contact as created. Otherwise it only remembers them.',
};

export class BusinessDataTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Business Data Trigger',
		name: 'businessDataTrigger',
		icon: { light: 'file:businessData.svg', dark: 'file:businessData.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: '={{ $parameter["events"].join(", ") }}',
		description:
			'Starts the workflow when contacts were created, updated or deleted in your bookkeeping service',
		defaults: { name: 'Business Data Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: CREDENTIAL_TYPE, required: true }],
		properties: [
			{
				displayName: 'Events',
				name: 'events',
				type: 'multiOptions',
				required: true,
				noDataExpression: true,
				options: [
					{ name: 'Contact Created', value: 'contactCreated' },
					{ name: 'Contact Deleted', value: 'contactDeleted' },
					{ name: 'Contact Updated', value: 'contactUpdated' },
				],
				default: ['contactCreated', 'contactUpdated'],
				description: 'What starts the workflow',
			},
			{
				displayName: 'ID Field',
				name: 'idField',
				type: 'string',
				required: true,
				default: 'id',
				placeholder: 'e.g. data.number',
				description: 'The field that is unique to a contact, as a dot path',
			},
			optionsField([emitExisting, ...listFields], {
				queryParameters:
					'Parameters to add to the address. If one of them is an expression, such as a filter "changed since", only changed contacts are read, and deletions cannot be seen.',
			}),
		],
	};

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await poll(this);
	}
}
