/** A response does not have the list, or the next page, where the options say. */
import { RequestError } from '../transport/requestError';

export class ListError extends RequestError {
	constructor(message: string, description: string) {
		super(message, { outcome: 'unknown', description });
	}
}
