/** A response does not show where its list is, or where the next page is, by the options as they are set. */
import { RequestError } from '../transport/requestError';

export class ListError extends RequestError {
	constructor(message: string, description: string) {
		super(message, { outcome: 'unknown', description });
	}
}
