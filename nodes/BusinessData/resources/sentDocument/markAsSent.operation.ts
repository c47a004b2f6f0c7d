import { KEY_HINT, sentDocumentOperation } from './sentDocument';

export const markAsSent = sentDocumentOperation(
	{
		name: 'Mark as Sent',
		value: 'markAsSent',
		action: 'Mark document as sent',
		description: 'Remember that the document was sent, so that no run sends it again',
		builderHint: { propertyHint: `Only after a person has seen it in the service. ${KEY_HINT}` },
	},
	'sent',
);
