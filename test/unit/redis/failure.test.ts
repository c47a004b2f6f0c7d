// Failures of Redis are classified by error codes and the first words of replies alone.

import {
	howToFix,
	isPermanent,
	needsNewConnection,
} from '../../../nodes/BusinessData/redis/failure';

const reply = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });
const coded = (code: string, message = `failed: ${code}`) =>
	Object.assign(new Error(message), { code });

test.each([
	[reply('WRONGPASS invalid username-password pair or user is disabled.'), 'passwords'],
	[reply('NOAUTH Authentication required.'), 'passwords'],
	[reply("NOPERM this user has no permissions to run the 'evalsha' command"), 'user may do'],
	[reply("ERR The user executing the script can't run this command"), 'user may do'],
	[reply('ERR ACL failure in script: this user has no permissions'), 'user may do'],
	[reply('ERR Error running script: 5: -NOPERM this user has no'), 'user may do'],
	[reply('DENIED Redis is running in protected mode because'), 'passwords'],
	[reply('ERR invalid password'), 'passwords'],
	[reply('ERR AUTH <password> called without any password configured'), 'passwords'],
	[reply('ERR DB index is out of range'), 'Redis Database'],
	[reply('ERR SELECT is not allowed in cluster mode'), 'Redis Database'],
	[reply('ERR This instance has cluster support disabled'), 'Redis Topology'],
	[reply("ERR unknown command 'evalsha', with args"), 'Sentinel under Redis Topology'],
	[reply("ERR unknown command 'SENTINEL', with args"), 'enter the Sentinels'],
	[coded('ERR_TLS_CERT_ALTNAME_INVALID'), 'Redis TLS Server Name'],
	[coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'Redis TLS CA'],
	[coded('SELF_SIGNED_CERT_IN_CHAIN'), 'Redis TLS CA'],
	[coded('DEPTH_ZERO_SELF_SIGNED_CERT'), 'Redis TLS CA'],
	[coded('CERT_HAS_EXPIRED'), 'still valid'],
	[coded('EPROTO'), 'Redis TLS and the port'],
	[coded('ERR_SSL_WRONG_VERSION_NUMBER'), 'Redis TLS and the port'],
	[coded('ERR_SENTINEL_UNKNOWN_GROUP'), 'Redis Sentinel Group'],
])('%p is permanent; advice: %s', (error, advice) => {
	expect(isPermanent(error)).toBe(true);
	expect(howToFix(error)).toContain(advice);
	expect(needsNewConnection(error)).toBe(true);
});

/** The failure, whether it needs a new connection, and the advice if it persists. */
test.each<[unknown, boolean, string?]>([
	[coded('ENOTFOUND', 'getaddrinfo ENOTFOUND redis-tls.example.com'), true],
	[coded('ENOTFOUND', 'getaddrinfo ENOTFOUND CERT_HAS_EXPIRED.NOAUTH.example.com'), true],
	[coded('EAI_AGAIN', 'NOAUTH.wrongpass.internal'), true],
	[coded('ECONNRESET', 'read ECONNRESET'), true],
	[new Error('Connection is closed.'), true],
	[new Error('Command timed out'), true],
	['anything', true],
	[reply('LOADING Redis is loading the dataset in memory'), true],
	[reply("READONLY You can't write against a read only replica."), true, 'the primary'],
	[reply("ERR Error running script: @user_script:8: -READONLY You can't"), true, 'the primary'],
	[reply('MASTERDOWN Link with MASTER is down'), true, 'the primary'],
	[reply('CLUSTERDOWN Hash slot not served'), true],
	[reply('MOVED 1234 NOAUTH.example.com:6379'), true, 'choose Cluster'],
	[reply('ASK 1234 127.0.0.1:6379'), true, 'choose Cluster'],
	[reply('TRYAGAIN Multiple keys request during rehashing of slot'), true],
	[reply('UNBLOCKED force unblock from blocking operation'), true],
	[reply("OOM command not allowed when used memory > 'maxmemory'."), false, 'raise its maxmemory'],
	[reply('ERR Error running script: 5: -OOM command not'), false, 'raise its maxmemory'],
	[reply('MISCONF Redis is configured to save RDB snapshots'), false, 'its log'],
	[reply('WRONGTYPE Operation against a key holding the wrong kind of value'), false],
	[reply('BUSY Redis is busy running a script.'), false],
	[reply('ERR user_script:1: a mistake. script: READONLY'), false],
])('%p is transient; needs a new connection: %s', (error, isNew, ...[advice]) => {
	expect(isPermanent(error)).toBe(false);
	expect(needsNewConnection(error)).toBe(isNew);
	const fix = howToFix(error);
	if (advice === undefined) expect(fix).toBeUndefined();
	else expect(fix).toContain(advice);
});
