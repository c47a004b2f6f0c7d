/**
 * What a failure of Redis means, and how to fix it. It is judged by the code of the error or the beginning of the reply,
 * because the rest may contain host names, and so any words.
 */
import { SharedError } from '../values/sharedError';
import { messageOf } from '../values/text';

/** Redis cannot be used; nothing was sent. The message never contains a password. */
export class RedisError extends SharedError {
	constructor(
		message: string,
		/** What the user can do. */
		readonly description: string,
		/** Whether waiting cannot help, as with a wrong password. */
		readonly isPermanent = false,
	) {
		super(message);
		this.name = 'RedisError';
	}
}

export const UNKNOWN_SENTINEL_GROUP = 'ERR_SENTINEL_UNKNOWN_GROUP';

type Failures = Array<[sign: RegExp, howToFix: string]>;

const CHECK_USER =
	'Check Redis User and the Redis passwords in the credential, and what the user may do.';

const PERMANENT: Failures = [
	[/^(WRONGPASS|NOAUTH|NOPERM|DENIED|ERR (invalid password|AUTH|Client sent AUTH))\b/, CHECK_USER],
	// The same for a command in a script, as worded by several versions of Redis.
	[
		/^ERR (ACL failure in script\b|The user executing the script can't run\b|.*-NOPERM\b)/,
		CHECK_USER,
	],
	[/^ERR (DB index|SELECT is not allowed)\b/, 'Check Redis Database in the credential.'],
	[
		/^ERR This instance has cluster support disabled/,
		'It is not a cluster: choose another Redis Topology in the credential.',
	],
	[
		/^ERR unknown command .?SENTINEL\b/i,
		'It is not a Sentinel: enter the Sentinels with their ports under Redis Nodes in the credential, or choose another Redis Topology.',
	],
	[
		/^ERR unknown command\b/i,
		'It is not a Redis that runs scripts. If it is a Sentinel, choose Sentinel under Redis Topology in the credential.',
	],
	[
		/^ERR_TLS_CERT_ALTNAME_INVALID$/,
		'Under Redis TLS Server Name in the credential, enter the name in its certificate.',
	],
	[
		/^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_|PATH_LENGTH_|ERR_OSSL_)/,
		'Under Redis TLS CA in the credential, enter the certificate of the authority that signed those of Redis, and check that they are still valid.',
	],
	[
		/^ERR_SSL_\w*_CERTIFICATE_REQUIRED$/,
		'It asks clients for a certificate, which this package does not have: set tls-auth-clients to no or optional in Redis.',
	],
	[
		/^(EPROTO|ERR_SSL_|ERR_TLS_)/,
		'Check Redis TLS and the port in the credential: Redis seems not to use TLS there, or a version that does not fit.',
	],
	[new RegExp(`^${UNKNOWN_SENTINEL_GROUP}$`), 'Check Redis Sentinel Group in the credential.'],
];

/** How to fix them if they persist. Redis 6 puts the error of a command after that of its script. */
const TRANSIENT: Failures = [
	[/^OOM\b|-OOM\b/, 'Redis has no memory left: raise its maxmemory, or remove data.'],
	[/^MISCONF\b|-MISCONF\b/, 'Redis cannot save its data, and accepts no more: its log says why.'],
	[
		/^(READONLY|MASTERDOWN)\b|-READONLY\b/,
		'It is a replica: enter the address of the primary in the credential.',
	],
	[
		/^(MOVED|ASK) /,
		'It belongs to a cluster: choose Cluster under Redis Topology in the credential.',
	],
];

/** The server is the wrong one, or not ready. A new connection may lead to another one. */
const WRONG_OR_NOT_READY =
	/^(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|MOVED|ASK|TRYAGAIN|UNBLOCKED|NOREPLICAS)\b|-READONLY\b/;

export function isPermanent(error: unknown): boolean {
	return PERMANENT.some(([sign]) => sign.test(signOf(error)));
}

export function howToFix(error: unknown): string | undefined {
	return [...PERMANENT, ...TRANSIENT].find(([sign]) => sign.test(signOf(error)))?.[1];
}

/** False if a working server refuses the script. */
export function needsNewConnection(error: unknown): boolean {
	const isReply = error instanceof Error && error.name === 'ReplyError';
	return !isReply || WRONG_OR_NOT_READY.test(signOf(error)) || isPermanent(error);
}

function signOf(error: unknown): string {
	const { code } = error as { code?: unknown };
	return typeof code === 'string' ? code : messageOf(error);
}
