import { KEY_HINT, sentDocumentOperation } from './sentDocument';

export const get = sentDocumentOperation({
	name: 'Get',
	value: 'get',
	action: 'Get state of sent document',
	description: 'Show whether the document was sent, perhaps sent, or not sent',
	builderHint: { propertyHint: KEY_HINT },
});
