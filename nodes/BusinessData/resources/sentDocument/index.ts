import type { Resource } from '../../operations/operation';
import { sentDocumentOperation } from './sentDocument.operation';

const KEY_HINT =
	'Give the sendOnceKey and the sentWith of the send. From another workflow, give the workflowId of the one that sends.';

export const sentDocument: Resource = {
	option: {
		name: 'Sent Document',
		value: 'sentDocument',
		description: 'What is remembered of a Send Once Key',
	},
	operations: [
		sentDocumentOperation({
			name: 'Get',
			value: 'get',
			action: 'Get state of sent document',
			description: 'Show whether the document was sent, perhaps sent, or not sent',
			builderHint: { propertyHint: KEY_HINT },
		}),
		sentDocumentOperation(
			{
				name: 'Mark as Sent',
				value: 'markAsSent',
				action: 'Mark document as sent',
				description: 'Remember that the document was sent, so that no run sends it again',
				builderHint: {
					propertyHint: `Only after a person has seen it in the service. ${KEY_HINT}`,
				},
			},
			'sent',
		),
		sentDocumentOperation(
			{
				name: 'Release',
				value: 'release',
				action: 'Release sent document',
				description:
					'Forget that the document was or may have been sent, so that a run can send it',
				builderHint: {
					propertyHint: `Only after a person has seen that it is not in the service. ${KEY_HINT}`,
				},
			},
			'notSent',
		),
	],
	defaultOperation: 'get',
};
