// What the benchmark and its foreign program agree on.

/** What the program is told. */
export interface ForeignWork {
	url: string;
	apiKey: string;
	everySeconds: number;
}

/** Tells its requests from all others in the service's journal. */
export const FOREIGN_USER_AGENT = 'foreign-program';
