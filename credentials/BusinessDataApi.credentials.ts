/** The credential: where the service is, the API key, and what differs in an installation. */
import type { IAuthenticateGeneric, ICredentialType, Icon, INodeProperties } from 'n8n-workflow';

import { CUSTOM_DEFAULTS, MOST_KEPT_FREE } from '../nodes/BusinessData/transport/account';
import { REDIS_FIELDS } from './redisFields';

const whenCustomized = { show: { customize: [true] } };
const withResultField = { ...whenCustomized, hide: { resultField: [''] } };

export class BusinessDataApi implements ICredentialType {
	name = 'businessDataApi';

	displayName = 'Business Data API';

	icon: Icon = {
		light: 'file:../nodes/BusinessData/businessData.svg',
		dark: 'file:../nodes/BusinessData/businessData.dark.svg',
	};

	// Without this, users of the credential could make the HTTP Request node send the key to any address. n8n 1.x
	// ignores it (SECURITY.md).
	restrictToSupportedNodes = true as const;

	documentationUrl = 'https://www.npmjs.com/package/n8n-nodes-business-data#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://api.example.com',
			description: 'URL of the service, without the path of an endpoint',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description:
				'The API key of your business: 64 characters, 0–9 and a–f. Create it in the settings of the business, under API keys. It is shown only once.',
		},
		{
			displayName: 'Count Limits In',
			name: 'limitStore',
			type: 'options',
			options: [
				{
					name: 'This n8n Process',
					value: 'memory',
					description:
						'For n8n in one process, which is the usual installation. Several processes would each count separately, and Send Once Keys would not apply across them.',
				},
				{
					name: 'Redis',
					value: 'redis',
					description:
						'Needed for n8n in queue mode: all processes share the limits of the key and its Send Once Keys. The test connects from n8n’s main process only.',
				},
			],
			default: 'memory',
			description: 'Where the requests of this key are counted',
		},
		...REDIS_FIELDS,
		{
			displayName: 'Customize for This Installation',
			name: 'customize',
			type: 'boolean',
			default: false,
			description: 'Whether limits or endpoints of your service differ from the documented ones',
		},
		{
			displayName: 'Limits',
			name: 'limits',
			type: 'json',
			default: JSON.stringify(CUSTOM_DEFAULTS.limits, null, 2),
			displayOptions: whenCustomized,
			description:
				'How many requests the key may make: "general" counts all requests, "endpoints" additionally those to one endpoint',
		},
		{
			displayName: 'Keep Free',
			name: 'keepFree',
			type: 'number',
			typeOptions: { minValue: 0, maxValue: MOST_KEPT_FREE },
			default: CUSTOM_DEFAULTS.keepFree,
			displayOptions: whenCustomized,
			description:
				'The percentage of each limit to leave to other programs that use the same key. The node also learns from refusals how much they use.',
		},
		{
			displayName: 'Transaction Delete Endpoint',
			name: 'transactionDelete',
			type: 'string',
			default: CUSTOM_DEFAULTS.transactionDelete,
			displayOptions: whenCustomized,
			description: 'Method and path of the bulk deletion of transactions',
		},
		{
			displayName: 'Contact Delete Endpoint',
			name: 'contactDelete',
			type: 'string',
			default: CUSTOM_DEFAULTS.contactDelete,
			displayOptions: whenCustomized,
			description: 'Method and path of the bulk deletion of contacts',
		},
		{
			displayName: 'Delete IDs Field',
			name: 'deleteIdsField',
			type: 'string',
			default: CUSTOM_DEFAULTS.deleteIdsField,
			displayOptions: whenCustomized,
			description: 'Name of the list of IDs in the body of a bulk deletion',
		},
		{
			displayName: 'Idempotency Header',
			name: 'idempotencyHeader',
			type: 'string',
			default: CUSTOM_DEFAULTS.idempotencyHeader,
			placeholder: 'e.g. Idempotency-Key',
			displayOptions: whenCustomized,
			description:
				'Name of the header by which your service recognizes a repeated request. A send with a Send Once Key carries it, and is retried if the response was lost. Leave empty if the service has none.',
		},
		{
			displayName: 'Result Field',
			name: 'resultField',
			type: 'string',
			default: CUSTOM_DEFAULTS.resultField,
			placeholder: 'e.g. success',
			displayOptions: whenCustomized,
			description:
				'For a service that responds with 200 even if it did nothing: the dot path to the field of its response that says so',
		},
		{
			displayName: 'Failure Values',
			name: 'failureValues',
			type: 'string',
			default: CUSTOM_DEFAULTS.failureValues,
			displayOptions: withResultField,
			description: 'Comma-separated values of the result field that mean a failure',
		},
		{
			displayName: 'Success Values',
			name: 'successValues',
			type: 'string',
			default: CUSTOM_DEFAULTS.successValues,
			displayOptions: withResultField,
			description:
				'Comma-separated values of the result field that mean a success. If there are any, all other values mean a failure. A response without the field is a success.',
		},
	];

	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: { headers: { 'x-api-key': '={{ $credentials.apiKey.trim() }}' } },
	};
}
