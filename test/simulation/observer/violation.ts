/** A promise that was broken. */
export interface Violation {
	/** Which promise; a shortened plan must break the same. */
	kind: string;
	/** What happened, for whoever reads it. */
	text: string;
}
