/** By the options, a response does not show where its list or the next page is. */
import { RequestError } from '../transport/requestError';

export class ListError extends RequestError {
	constructor(message: string, description: string) {
		super(message, { outcome: 'unknown', description });
	}
}
