import { KEY_HINT, sentDocumentOperation } from './sentDocument';

export const release = sentDocumentOperation(
	{
		name: 'Release',
		value: 'release',
		action: 'Release sent document',
		description: 'Forget that the document was or may have been sent, so that a run can send it',
		builderHint: {
			propertyHint: `Only after a person has seen that it is not in the service. ${KEY_HINT}`,
		},
	},
	'notSent',
);
