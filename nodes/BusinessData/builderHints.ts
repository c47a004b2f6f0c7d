/** Hints for n8n's AI builder: when to choose the nodes, and an example of how to set them up. n8n 1.x ignores them. */
import type { IBuilderHint } from 'n8n-workflow';

const NODE = 'n8n-nodes-business-data.businessData';
const TRIGGER = 'n8n-nodes-business-data.businessDataTrigger';

const SEND_PATTERN = `<patterns>
<pattern title="Send one document per item, each once, with typed fields">
const sendDocument = node({
  type: '${NODE}',
  version: 1,
  config: {
    name: 'Send Document',
    parameters: {
      resource: 'transaction',
      operation: 'send',
      dataMode: 'defineBelow',
      assignments: {
        assignments: [
          { id: 'number', name: 'invoiceNumber', type: 'string', value: expr('{{ $json.invoiceNumber }}') },
          { id: 'amount', name: 'amount', type: 'number', value: expr('{{ $json.amount }}') },
          { id: 'customer', name: 'customer.id', type: 'string', value: expr('{{ $json.contactId }}') }
        ]
      },
      options: { sendOnceKey: expr('{{ $json.invoiceNumber }}') }
    },
    onError: 'continueErrorOutput'
  }
});
</pattern>
</patterns>`;

export const nodeHint: IBuilderHint = {
	searchHint:
		"Use it for everything in the user's bookkeeping service: the HTTP Request node cannot use its credential and would break its rate limits. It waits for the limits by itself, so add no Wait node, no batching and no Retry On Fail for them; give it all items at once. Only a send of so many documents that it must outlive a restart needs Rate Limit: Wait for Room, in a loop. On the error output, {{ $input.item.error.context.outcome }} is notSent, refused or unknown; what is unknown may have been sent, so a person must look.",
	relatedNodes: [
		{ nodeType: TRIGGER, relationHint: 'Starts a workflow when contacts change' },
		{
			nodeType: 'n8n-nodes-base.if',
			relationHint: 'Branches on the outcome after its error output',
		},
	],
	extraTypeDefContent: [
		{
			displayOptions: {
				show: { resource: ['transaction', 'payment'], operation: ['send', 'sendWp'] },
			},
			content: SEND_PATTERN,
		},
	],
};

export const triggerHint: IBuilderHint = {
	searchHint:
		'It polls, so the workflow must be published, and it gives one item per change. Polling every few minutes is enough, because each poll reads the whole list under the rate limits; for a long list, set options.incremental if the service has a parameter such as updated_since.',
	relatedNodes: [{ nodeType: NODE, relationHint: 'Sends and reads in the same service' }],
};
