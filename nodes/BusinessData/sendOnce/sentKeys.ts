/**
 * The keys in the order in which they were sent, so that the oldest can be forgotten. No lock is needed: if a change is
 * lost, a key is only remembered for longer.
 */
import { type KeyId, rowNameOf, rowOf } from './keyRow';

/** Up to this many keys share one row, in which exactly the oldest is forgotten. */
const MOST_IN_ONE_ROW = 1_000;
/** A change rewrites a whole row, so a larger number of keys is spread over several. */
const ROWS = 64;
/** Keys are spread at random, so a row may exceed its share, but hardly ever by this many standard deviations. */
const DEVIATIONS = 5;

/** The row that is used for few keys, and the row of this key that is used for many. */
function rowsOf(id: KeyId) {
	const number = Buffer.from(rowNameOf(id.name), 'base64').readUInt32BE() % ROWS;
	return [rowOf(id, 'keys'), rowOf(id, `keys:${number}`)] as const;
}

/** Adds a key as the newest, and forgets the oldest. */
export async function addSentKey(id: KeyId, maxEntries: number): Promise<void> {
	const [few, many] = rowsOf(id);
	const isFew = maxEntries <= MOST_IN_ONE_ROW;
	const row = isFew ? few : many;
	const share = maxEntries / ROWS;
	const most = isFew ? maxEntries : Math.ceil(share + DEVIATIONS * Math.sqrt(share));
	const before = (await row.read([id.name])) ?? [];
	// If it were only added again, it would keep its place.
	if (before.includes(id.name)) await row.remove([id.name]);
	await row.add([id.name], most);
	const others = before.filter((one) => one !== id.name);
	for (const oldest of others.slice(0, Math.max(0, others.length + 1 - most))) {
		await rowOf(id, String(oldest)).clear();
	}
}

/** Called on release. Otherwise the key could be forgotten while it is being sent again. */
export async function removeSentKey(id: KeyId): Promise<void> {
	for (const row of rowsOf(id)) await row.remove([id.name]);
}
