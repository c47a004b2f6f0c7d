/**
 * What the trigger remembers of the contacts: the ID of each and a hash of its content, so that changes
 * are found whatever the fields are called. Kept in n8n's static data, so it is small: 100,000 contacts
 * with UUIDs take less than 5 MB.
 */
import { createHash } from 'node:crypto';

import { RequestError } from '../transport/requestError';
import { valueAt } from '../resources/list/findList';

export type ContactId = string | number;

/** As it is saved; `version` changes with its meaning. */
export interface SavedState {
	version: 1;
	ids: ContactId[];
	/** The hashes of the contacts, one after the other, in the order of the IDs. */
	hashes: string;
}

/** The contacts by their ID as text. */
export type ContactState = Map<string, { id: ContactId; hash: string }>;

/** 48 bits as base64: the chance that a change goes unseen is one in 280 million million. */
const HASH_LENGTH = 8;

/** The state as it was saved; undefined when there is none, or one that is not understood any more. */
export function readState(saved: unknown): ContactState | undefined {
	const { version, ids, hashes } = (saved ?? {}) as Partial<SavedState>;
	const isUsable = version === 1 && Array.isArray(ids) && typeof hashes === 'string';
	if (!isUsable || hashes.length !== ids.length * HASH_LENGTH) return undefined;
	return new Map(
		ids.map((id, index) => {
			const hash = hashes.slice(index * HASH_LENGTH, (index + 1) * HASH_LENGTH);
			return [String(id), { id, hash }];
		}),
	);
}

export function saveState(state: ContactState): SavedState {
	const contacts = [...state.values()];
	return {
		version: 1,
		ids: contacts.map(({ id }) => id),
		hashes: contacts.map(({ hash }) => hash).join(''),
	};
}

/**
 * The state of the contacts that were read.
 * @param idField dot path to the ID of a contact
 * @throws RequestError when a contact has no ID, or two different ones have the same
 */
export function stateOf(contacts: unknown[], idField: string): ContactState {
	const state: ContactState = new Map();
	for (const [index, contact] of contacts.entries()) {
		const id = valueAt(contact, idField);
		const isId = typeof id === 'number' || (typeof id === 'string' && id !== '');
		if (!isId) {
			throw unusable(
				`contact ${index + 1} of ${contacts.length} has no ID at "${idField}"`,
				'Set ID Field to the field that is unique to a contact, as a dot path.',
			);
		}
		const hash = hashOf(contact);
		const known = state.get(String(id));
		// The same contact twice is one that moved to the next page while the pages were read.
		if (known !== undefined && known.hash !== hash) {
			throw unusable(
				`two different contacts have the ID "${id}"`,
				'Set ID Field to a field that is unique to a contact. If a contact was changed at this very moment, the next poll will do.',
			);
		}
		state.set(String(id), { id, hash });
	}
	return state;
}

/** The same for the same content, in whatever order the fields come. */
function hashOf(contact: unknown): string {
	const text = JSON.stringify(contact, (_, value: unknown) => {
		if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
		const entries = Object.entries(value as Record<string, unknown>);
		return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
	});
	return createHash('sha256').update(text).digest('base64').slice(0, HASH_LENGTH);
}

function unusable(problem: string, description: string): RequestError {
	return new RequestError(`The contacts cannot be compared: ${problem}`, {
		outcome: 'unknown',
		description: `${description} Nothing was changed in what the trigger remembers.`,
	});
}
