/** Where a Redis is, and how to log in. */

export interface RedisNode {
	host: string;
	port: number;
}

export interface RedisAddress {
	topology: 'standalone' | 'cluster' | 'sentinel';
	/** The server, some servers of the cluster, or the Sentinels. */
	nodes: RedisNode[];
	/** Empty for the default user. */
	user: string;
	/** Empty for none. */
	password: string;
	tls: boolean;
	/** The name in the certificates, if it differs from the host. */
	tlsServerName?: string;
	/** Certificates (PEM) of the authority to trust instead of those that Node.js trusts. */
	tlsCa?: string;
	/** Not for a cluster. */
	database?: number;
	/** The Sentinels' name for the primary and its replicas. */
	group?: string;
	/** The Sentinels' password; empty for none. */
	sentinelPassword?: string;
}

/** The address for errors, without secrets. */
export function describeAddress(address: RedisAddress): string {
	const { topology, nodes, group, database = 0, tls } = address;
	const hosts = nodes.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`);
	const facts = [
		topology === 'cluster' ? 'cluster' : '',
		topology === 'sentinel' ? `Sentinel, group ${group}` : '',
		database > 0 ? `database ${database}` : '',
		tls ? 'TLS' : '',
	].filter((fact) => fact !== '');
	return hosts.join(', ') + (facts.length === 0 ? '' : ` (${facts.join(', ')})`);
}
