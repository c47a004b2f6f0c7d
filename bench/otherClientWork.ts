// What the benchmark and its other client agree on.

/** What the program is told. */
export interface OtherClientWork {
	url: string;
	apiKey: string;
	everySeconds: number;
}

/** Tells its requests from all others in the service's journal. */
export const OTHER_CLIENT_USER_AGENT = 'other-client';
