import { maskKeys } from './redact';

/** A parameter or a credential field cannot be used. Nothing was sent. */
export class InvalidSettingError extends Error {
	constructor(
		/** The label of the field, as the user sees it. */
		readonly field: string,
		problem: string,
		/** How to fix it. */
		readonly description: string,
	) {
		// The API key may have got into the wrong field.
		super(maskKeys(`${field}: ${problem}`));
		this.name = 'InvalidSettingError';
	}
}
