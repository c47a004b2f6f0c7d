/** A response has no list, or no next page, where the options say. */
import { RequestError } from '../transport/requestError';

export class ListError extends RequestError {
	constructor(message: string, description: string) {
		super(message, { outcome: 'unknown', description });
	}
}
