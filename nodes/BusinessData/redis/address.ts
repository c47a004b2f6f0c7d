/** Where a Redis is: one server, a cluster, or the servers that Sentinels watch over. */

export interface RedisNode {
	host: string;
	port: number;
}

/** How to log in at every server of an address. */
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
	/** Some of the servers; the cluster names the others. */
	nodes: RedisNode[];
}

export interface SentinelAddress extends RedisAccess {
	topology: 'sentinel';
	/** The Sentinels. */
	nodes: RedisNode[];
	/** The name under which the Sentinels watch over the servers. */
	group: string;
	/** The Sentinels' password; empty for none. */
	sentinelPassword: string;
	database: number;
}

export type RedisAddress = StandaloneAddress | ClusterAddress | SentinelAddress;

/** The address for errors, without secrets. */
export function describeAddress(address: RedisAddress): string {
	const nodes = 'nodes' in address ? address.nodes : [address];
	const hosts = nodes.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`);
	const facts = [
		address.topology === 'cluster' ? 'cluster' : '',
		'group' in address ? `Sentinel, group ${address.group}` : '',
		'database' in address && address.database > 0 ? `database ${address.database}` : '',
		address.tls ? 'TLS' : '',
	].filter((fact) => fact !== '');
	return hosts.join(', ') + (facts.length === 0 ? '' : ` (${facts.join(', ')})`);
}

/** The passwords, which must never be shown. */
export function secretsOf(address: RedisAddress): string[] {
	const secrets = [address.password, 'group' in address ? address.sentinelPassword : ''];
	return secrets.filter((secret) => secret !== '');
}
