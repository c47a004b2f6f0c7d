/**
 * Hints for n8n's AI builder beyond the descriptions: when to choose the nodes and how to fill them. n8n 1.x ignores
 * them.
 */
import type { IBuilderHint } from 'n8n-workflow';

import { ENDPOINTS } from './transport/endpoints';

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
			relationHint: 'Branches on the outcome behind its error output',
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
		'It polls, so the workflow must be published, and it gives one item per change. Polling every few minutes is enough, because each poll reads the whole list under the rate limits; of a long one, set options.incremental where the service knows a parameter such as updated_since.',
	relatedNodes: [{ nodeType: NODE, relationHint: 'Sends and reads in the same service' }],
};

/** For the operations that send a document to a customer. */
export const SEND_HINT =
	'Each item goes out to a customer and cannot be taken back. Always set options.sendOnceKey to what is unique to the document, such as its number, so that no run sends it again.';

/** For the operations that delete many records. */
export const DELETE_HINT =
	'Deletes the records of all input items in few requests, so never loop over them. Set dryRun: true unless the user asked to delete at once; a second node without it deletes after an approval.';

/** For the fields of a body. */
export const FIELDS_HINT =
	"Entries are { id, name, type, value }. Choose the type that the service expects: 'number' for amounts and counts, 'string' for IDs and invoice numbers; never 'binary'. A value of another type is an error. Dots in a name make nested objects (customer.id). Ask the user for the names; the service does not tell them.";

/** For the operation that waits for room. */
export const WAIT_HINT = `Only for long sends that must outlive a restart of n8n: Loop Over Items (batchSize ${ENDPOINTS.sendTransaction.limit.max}, as many as the limit allows at once) → Wait for Room (requests: expr('{{ $input.all().length }}')) → the send with sendOnceKey → back to the loop. It passes its items on unchanged. Other sends wait by themselves.`;
