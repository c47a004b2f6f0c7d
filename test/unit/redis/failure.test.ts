// Failures of Redis are classified by error codes and the first words of replies alone.

import {
	howToFix,
	isPermanent,
	needsNewConnection,
} from '../../../nodes/BusinessData/redis/failure';

const reply = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });
const coded = (code: string, message = `failed: ${code}`) =>
	Object.assign(new Error(message), { code });

/** The failure, whether it is permanent, the advice, and whether it needs no new connection. */
test.each<[failure: unknown, isPermanent: boolean, advice?: string, isKept?: boolean]>([
	[reply('WRONGPASS invalid username-password pair or user is disabled.'), true, 'passwords'],
	[reply('NOAUTH Authentication required.'), true, 'passwords'],
	[reply("NOPERM this user has no permissions to run the 'evalsha' command"), true, 'user may do'],
	[reply("ERR The user executing the script can't run this command"), true, 'user may do'],
	[reply('ERR ACL failure in script: this user has no permissions'), true, 'user may do'],
	[reply('ERR Error running script: 5: -NOPERM this user has no'), true, 'user may do'],
	[reply('DENIED Redis is running in protected mode because'), true, 'passwords'],
	[reply('ERR invalid password'), true, 'passwords'],
	[reply('ERR AUTH <password> called without any password configured'), true, 'passwords'],
	[reply('ERR DB index is out of range'), true, 'Redis Database'],
	[reply('ERR SELECT is not allowed in cluster mode'), true, 'Redis Database'],
	[reply('ERR This instance has cluster support disabled'), true, 'Redis Topology'],
	[reply("ERR unknown command 'evalsha', with args"), true, 'Sentinel under Redis Topology'],
	[reply("ERR unknown command 'SENTINEL', with args"), true, 'enter the Sentinels'],
	[coded('ERR_TLS_CERT_ALTNAME_INVALID'), true, 'Redis TLS Server Name'],
	[coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), true, 'Redis TLS CA'],
	[coded('SELF_SIGNED_CERT_IN_CHAIN'), true, 'Redis TLS CA'],
	[coded('DEPTH_ZERO_SELF_SIGNED_CERT'), true, 'Redis TLS CA'],
	[coded('CERT_HAS_EXPIRED'), true, 'still valid'],
	[coded('EPROTO'), true, 'Redis TLS and the port'],
	[coded('ERR_SSL_WRONG_VERSION_NUMBER'), true, 'Redis TLS and the port'],
	[coded('ERR_SENTINEL_UNKNOWN_GROUP'), true, 'Redis Sentinel Group'],
	[coded('ENOTFOUND', 'getaddrinfo ENOTFOUND redis-tls.example.com'), false],
	[coded('ENOTFOUND', 'getaddrinfo ENOTFOUND CERT_HAS_EXPIRED.NOAUTH.example.com'), false],
	[coded('EAI_AGAIN', 'NOAUTH.wrongpass.internal'), false],
	[coded('ECONNRESET', 'read ECONNRESET'), false],
	[new Error('Connection is closed.'), false],
	[new Error('Command timed out'), false],
	['anything', false],
	[reply('LOADING Redis is loading the dataset in memory'), false],
	[reply("READONLY You can't write against a read only replica."), false, 'the primary'],
	[reply("ERR Error running script: @user_script:8: -READONLY You can't"), false, 'the primary'],
	[reply('MASTERDOWN Link with MASTER is down'), false, 'the primary'],
	[reply('CLUSTERDOWN Hash slot not served'), false],
	[reply('MOVED 1234 NOAUTH.example.com:6379'), false, 'choose Cluster'],
	[reply('ASK 1234 127.0.0.1:6379'), false, 'choose Cluster'],
	[reply('TRYAGAIN Multiple keys request during rehashing of slot'), false],
	[reply('UNBLOCKED force unblock from blocking operation'), false],
	[
		reply("OOM command not allowed when used memory > 'maxmemory'."),
		false,
		'raise its maxmemory',
		true,
	],
	[reply('ERR Error running script: 5: -OOM command not'), false, 'raise its maxmemory', true],
	[reply('MISCONF Redis is configured to save RDB snapshots'), false, 'its log', true],
	[
		reply('WRONGTYPE Operation against a key holding the wrong kind of value'),
		false,
		undefined,
		true,
	],
	[reply('BUSY Redis is busy running a script.'), false, undefined, true],
	[reply('ERR user_script:1: a mistake. script: READONLY'), false, undefined, true],
])('%p is permanent: %j; advice: %s', (error, is, ...[advice, isKept = false]) => {
	expect(isPermanent(error)).toBe(is);
	expect(needsNewConnection(error)).toBe(!isKept);
	const fix = howToFix(error);
	if (advice === undefined) expect(fix).toBeUndefined();
	else expect(fix).toContain(advice);
});
