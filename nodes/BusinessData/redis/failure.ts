/**
 * What a failed command or connection means: whether it is transient, whether the connection has to be
 * replaced, and what the user can do. Judged by the codes of errors and the first words of replies alone:
 * the rest of a message has names of hosts in it, which may say anything.
 */
import { messageOf } from '../values/text';

/** The group is not known to the Sentinels. */
export const UNKNOWN_GROUP = 'ERR_SENTINEL_UNKNOWN_GROUP';

const CHECK_TLS_CA =
	'Enter the certificate of the authority that has signed those of Redis under Redis TLS CA in the credential, and check whether they are still valid.';

/** Permanent failures, with how to fix them. */
const PERMANENT_REPLIES: Array<[reply: RegExp, advice: string]> = [
	[
		/^(WRONGPASS|NOAUTH|NOPERM|DENIED|ERR (invalid password|AUTH|Client sent AUTH))\b/,
		'Check Redis User and the Redis passwords in the credential, and what the user may do.',
	],
	[/^ERR (DB index|SELECT is not allowed)\b/, 'Check Redis Database in the credential.'],
	[
		/^ERR This instance has cluster support disabled/,
		'It is no cluster: choose another Redis Topology in the credential.',
	],
	[
		/^ERR unknown command\b/i,
		'It is no Redis that runs scripts. If it is a Sentinel, choose Sentinel under Redis Topology in the credential.',
	],
];
const PERMANENT_CODES: Array<[code: RegExp, advice: string]> = [
	[
		/^ERR_TLS_CERT_ALTNAME_INVALID$/,
		'Enter the name that is in its certificate under Redis TLS Server Name in the credential.',
	],
	[
		/^(CERT_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|ERR_OSSL_)/,
		CHECK_TLS_CA,
	],
	[
		/^(EPROTO|ERR_SSL_|ERR_TLS_)/,
		'Check Redis TLS and the port in the credential: there, Redis seems to speak no TLS, or another one.',
	],
	[new RegExp(`^${UNKNOWN_GROUP}$`), 'Check Redis Sentinel Group in the credential.'],
];

/** Transient failures, with how to fix those that last; Redis 6 puts the reply of a script's command last. */
const TRANSIENT_REPLIES: Array<[reply: RegExp, advice: string]> = [
	[/^OOM\b|-OOM\b/, 'Redis has no memory left: raise its maxmemory, or remove data.'],
	[/^MISCONF\b|-MISCONF\b/, 'Redis cannot save its data, and accepts no more: its log says why.'],
	[
		/^(READONLY|MASTERDOWN)\b|-READONLY\b/,
		'It is a replica: enter the address of the primary in the credential.',
	],
];

/** Replies of a server that is the wrong one, or not ready: a new connection may lead to another. */
const NOT_THE_ONE_TO_ASK =
	/^(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|MOVED|ASK|TRYAGAIN|UNBLOCKED|NOREPLICAS)\b|-READONLY\b/;

/** Whether waiting cannot help. */
export function isPermanent(error: unknown): boolean {
	return fixForPermanent(error) !== undefined;
}

/** How to fix a failure that has not passed; undefined where the reply does not say. */
export function howToFix(error: unknown): string | undefined {
	const reply = messageOf(error);
	return fixForPermanent(error) ?? TRANSIENT_REPLIES.find(([words]) => words.test(reply))?.[1];
}

/** How to fix a permanent failure; undefined for a transient one. */
export function fixForPermanent(error: unknown): string | undefined {
	const reply = messageOf(error);
	const { code } = error as { code?: unknown };
	return (
		PERMANENT_REPLIES.find(([start]) => start.test(reply))?.[1] ??
		PERMANENT_CODES.find(([codes]) => typeof code === 'string' && codes.test(code))?.[1]
	);
}

/** Whether the next attempt needs a new connection; not where a server that works refuses one script. */
export function needsNewConnection(error: unknown): boolean {
	const isReply = error instanceof Error && error.name === 'ReplyError';
	return !isReply || NOT_THE_ONE_TO_ASK.test(messageOf(error)) || isPermanent(error);
}
