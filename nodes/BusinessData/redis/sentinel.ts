/** Asks Sentinels which server is the primary. */
import type { RedisNode, SentinelAddress } from './address';
import { firstResponse } from './server';
import { UNKNOWN_GROUP } from './failure';

/**
 * The primary, by the first of the Sentinels that responds. ioredis's own Sentinel support does not report why a
 * Sentinel did not respond, such as a wrong certificate, and asks one after another.
 */
export async function primaryOf(address: SentinelAddress): Promise<RedisNode> {
	const { nodes, group, sentinelPassword } = address;
	const access = { ...address, user: '', password: sentinelPassword };
	return await firstResponse(nodes, access, async ({ redis }) => {
		const reply = await redis.call('SENTINEL', 'get-master-addr-by-name', group);
		if (Array.isArray(reply)) return { host: String(reply[0]), port: Number(reply[1]) };
		const error = new Error(`the Sentinels know no group "${group}"`);
		throw Object.assign(error, { code: UNKNOWN_GROUP });
	});
}
