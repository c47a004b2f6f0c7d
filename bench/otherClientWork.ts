// Shared by the benchmark and its other client.

export interface OtherClientWork {
	url: string;
	apiKey: string;
	everySeconds: number;
}

/** Identifies its requests in the service's journal. */
export const OTHER_CLIENT_USER_AGENT = 'other-client';
