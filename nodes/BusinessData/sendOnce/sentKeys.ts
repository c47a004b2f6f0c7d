/**
 * The keys of a document in the order in which they were sent, so that the oldest can be forgotten. It needs no lock: a
 * lost change only means that a key is remembered for longer.
 */
import { type KeyId, rowNameOf, rowOf } from './keyRow';

/** Up to so many keys are in one row, and exactly the oldest is forgotten. */
const MOST_IN_ONE_ROW = 1_000;
/** A change writes a whole row, so more keys are spread over several. */
const ROWS = 64;
/** Keys spread at random: a row may get more than its share, but hardly ever by so many standard deviations. */
const DEVIATIONS = 5;

/** The row for few keys, and that of this key for many. */
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
	// Added again, it would keep its place.
	if (before.includes(id.name)) await row.remove([id.name]);
	await row.add([id.name], most);
	const others = before.filter((one) => one !== id.name);
	for (const oldest of others.slice(0, Math.max(0, others.length + 1 - most))) {
		await rowOf(id, String(oldest)).clear();
	}
}

/** Called on release: the key could otherwise be forgotten while it is sent again. */
export async function removeSentKey(id: KeyId): Promise<void> {
	for (const row of rowsOf(id)) await row.remove([id.name]);
}
