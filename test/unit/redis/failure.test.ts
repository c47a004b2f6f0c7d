// What a failure of Redis means, told by the codes of errors and the first words of replies alone.

import {
	fixForPermanent,
	howToFix,
	isPermanent,
	needsNewConnection,
} from '../../../nodes/BusinessData/redis/failure';

const reply = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });
const coded = (code: string, message = `failed: ${code}`) =>
	Object.assign(new Error(message), { code });

describe('waiting does not help', () => {
	test.each([
		['WRONGPASS invalid username-password pair or user is disabled.', 'passwords'],
		['NOAUTH Authentication required.', 'passwords'],
		["NOPERM this user has no permissions to run the 'evalsha' command", 'what the user may do'],
		['DENIED Redis is running in protected mode because', 'passwords'],
		['ERR invalid password', 'passwords'],
		['ERR AUTH <password> called without any password configured', 'passwords'],
		['ERR DB index is out of range', 'Redis Database'],
		['ERR SELECT is not allowed in cluster mode', 'Redis Database'],
		['ERR This instance has cluster support disabled', 'Redis Topology'],
		["ERR unknown command 'evalsha', with args beginning with:", 'Sentinel under Redis Topology'],
	])('%s', (message, advice) => {
		expect(isPermanent(reply(message))).toBe(true);
		expect(fixForPermanent(reply(message))).toContain(advice);
	});

	test.each([
		['ERR_TLS_CERT_ALTNAME_INVALID', 'Redis TLS Server Name'],
		['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'Redis TLS CA'],
		['SELF_SIGNED_CERT_IN_CHAIN', 'Redis TLS CA'],
		['DEPTH_ZERO_SELF_SIGNED_CERT', 'Redis TLS CA'],
		['CERT_HAS_EXPIRED', 'still valid'],
		['EPROTO', 'Redis TLS and the port'],
		['ERR_SSL_WRONG_VERSION_NUMBER', 'Redis TLS and the port'],
		['ERR_SENTINEL_UNKNOWN_GROUP', 'Redis Sentinel Group'],
	])('%s', (code, advice) => {
		expect(isPermanent(coded(code))).toBe(true);
		expect(fixForPermanent(coded(code))).toContain(advice);
	});
});

describe('waiting may help', () => {
	test.each([
		coded('ENOTFOUND', 'getaddrinfo ENOTFOUND redis-tls.example.com'),
		coded('ENOTFOUND', 'getaddrinfo ENOTFOUND CERT_HAS_EXPIRED.NOAUTH.example.com'),
		coded('EAI_AGAIN', 'getaddrinfo EAI_AGAIN ssl-certs.wrongpass.internal'),
		coded('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:6379'),
		coded('ECONNRESET', 'read ECONNRESET'),
		coded('ETIMEDOUT', 'connect ETIMEDOUT'),
		new Error('Connection is closed.'),
		new Error('Command timed out'),
		reply('LOADING Redis is loading the dataset in memory'),
		reply("READONLY You can't write against a read only replica."),
		reply('CLUSTERDOWN Hash slot not served'),
		reply('MOVED 1234 NOAUTH.example.com:6379'),
		reply('OOM command not allowed'),
		reply('MISCONF Redis is configured to save RDB snapshots'),
		'anything',
	])('%s', (error) => {
		expect(isPermanent(error)).toBe(false);
	});
});

describe('a new connection is needed', () => {
	test.each([
		new Error('Command timed out'),
		new Error('Connection is closed.'),
		coded('ECONNRESET'),
		reply("READONLY You can't write against a read only replica."),
		reply("ERR Error running script (call to f_1): @user_script:8: -READONLY You can't write"),
		reply('LOADING Redis is loading the dataset in memory'),
		reply("MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."),
		reply('CLUSTERDOWN The cluster is down'),
		reply('MOVED 1234 127.0.0.1:6379'),
		reply('ASK 1234 127.0.0.1:6379'),
		reply('TRYAGAIN Multiple keys request during rehashing of slot'),
		reply('UNBLOCKED force unblock from blocking operation'),
		reply('NOAUTH Authentication required.'),
	])('after %s', (error) => {
		expect(needsNewConnection(error)).toBe(true);
	});

	test.each([
		reply('WRONGTYPE Operation against a key holding the wrong kind of value'),
		reply('OOM command not allowed when used memory > maxmemory'),
		reply('BUSY Redis is busy running a script.'),
		reply('ERR user_script:1: a mistake. script: READONLY'),
	])('not after %s', (error) => {
		expect(needsNewConnection(error)).toBe(false);
	});
});

test.each([
	["OOM command not allowed when used memory > 'maxmemory'.", 'raise its maxmemory'],
	['ERR Error running script: @user_script: 5: -OOM command not allowed', 'raise its maxmemory'],
	['MISCONF Redis is configured to save RDB snapshots', 'its log'],
	["READONLY You can't write against a read only replica.", 'the primary'],
	['WRONGPASS invalid username-password pair', 'passwords'],
	['BUSY Redis is busy running a script', /^$/],
])('%s: what to do if it stays', (message, advice) => {
	const reported = howToFix(reply(message)) ?? '';
	expect(reported).toMatch(advice);
});
