/** Where a Redis is: one server, a cluster, or the servers that Sentinels watch over. */

export interface RedisNode {
	host: string;
	port: number;
}

/** What every server of an address asks for. */
export interface RedisAccess {
	/** Empty for the default user. */
	user: string;
	/** Empty for none. */
	password: string;
	tls: boolean;
	/** The name in the certificates, where it is not the host that is connected to. */
	tlsServerName?: string;
	/** The certificates (PEM) of the authority to trust, in place of those that Node.js knows. */
	tlsCa?: string;
}

export interface StandaloneAddress extends RedisAccess, RedisNode {
	topology?: 'standalone';
	database: number;
}

export interface ClusterAddress extends RedisAccess {
	topology: 'cluster';
	/** Some of them; the cluster tells the others. */
	nodes: RedisNode[];
}

export interface SentinelAddress extends RedisAccess {
	topology: 'sentinel';
	/** The Sentinels. */
	nodes: RedisNode[];
	/** The name under which they watch over the servers. */
	group: string;
	/** That of the Sentinels; empty for none. */
	sentinelPassword: string;
	database: number;
}

export type RedisAddress = StandaloneAddress | ClusterAddress | SentinelAddress;

/** As users know it, for errors; nothing of it is secret. */
export function describeAddress(address: RedisAddress): string {
	const nodes = 'nodes' in address ? address.nodes : [address];
	const hosts = nodes.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`);
	const facts = [
		...(address.topology === 'cluster' ? ['cluster'] : []),
		...(address.topology === 'sentinel' ? [`Sentinel, group ${address.group}`] : []),
		...('database' in address && address.database > 0 ? [`database ${address.database}`] : []),
		...(address.tls ? ['TLS'] : []),
	];
	return hosts.join(', ') + (facts.length === 0 ? '' : ` (${facts.join(', ')})`);
}

/** What must never be shown. */
export function secretsOf(address: RedisAddress): string[] {
	const secrets = [
		address.password,
		'nodes' in address && 'group' in address ? address.sentinelPassword : '',
	];
	return secrets.filter((secret) => secret !== '');
}
