/** The credential's fields for the Redis that counts requests: where it is, and how to log in. */
import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import { REDIS_DEFAULTS } from '../nodes/BusinessData/transport/redisSettings';

const inRedis = (...topologies: string[]): IDisplayOptions => ({
	show: {
		limitStore: ['redis'],
		...(topologies.length === 0 ? {} : { redisTopology: topologies }),
	},
});
const withTls: IDisplayOptions = { show: { limitStore: ['redis'], redisTls: [true] } };

export const REDIS_FIELDS: INodeProperties[] = [
	{
		displayName: 'Redis Topology',
		name: 'redisTopology',
		type: 'options',
		options: [
			{
				name: 'Cluster',
				value: 'cluster',
				description: 'Several servers that share the keys, as with QUEUE_BULL_REDIS_CLUSTER_NODES',
			},
			{
				name: 'Sentinel',
				value: 'sentinel',
				description: 'A primary and its replicas; Sentinels say which server is the primary',
			},
			{
				name: 'Standalone',
				value: 'standalone',
				description: 'One address, as with QUEUE_BULL_REDIS_HOST',
			},
		],
		default: REDIS_DEFAULTS.redisTopology,
		displayOptions: inRedis(),
		description: 'How Redis is set up',
	},
	{
		displayName: 'Redis Host',
		name: 'redisHost',
		type: 'string',
		default: REDIS_DEFAULTS.redisHost,
		placeholder: 'e.g. redis.example.com',
		displayOptions: inRedis('standalone'),
		description: 'Host of the Redis that all n8n processes can reach, usually the one of the queue',
	},
	{
		displayName: 'Redis Port',
		name: 'redisPort',
		type: 'number',
		default: REDIS_DEFAULTS.redisPort,
		displayOptions: inRedis('standalone'),
		description: 'Port of Redis',
	},
	{
		displayName: 'Redis Nodes',
		name: 'redisNodes',
		type: 'string',
		default: '',
		placeholder: 'e.g. redis-1.example.com:6379, redis-2.example.com:6379',
		displayOptions: inRedis('cluster', 'sentinel'),
		description:
			'Hosts with their ports, separated by commas: some servers of the cluster, or all Sentinels',
	},
	{
		displayName: 'Redis Sentinel Group',
		name: 'redisSentinelGroup',
		type: 'string',
		default: REDIS_DEFAULTS.redisSentinelGroup,
		displayOptions: inRedis('sentinel'),
		description: 'Name of the group of servers that the Sentinels monitor',
	},
	{
		displayName: 'Redis Sentinel Password',
		name: 'redisSentinelPassword',
		type: 'string',
		typeOptions: { password: true },
		default: '',
		displayOptions: inRedis('sentinel'),
		description: 'Password of the Sentinels, if they need one',
	},
	{
		displayName: 'Redis User',
		name: 'redisUser',
		type: 'string',
		default: '',
		displayOptions: inRedis(),
		description: 'User of Redis, if it has users. Leave empty otherwise.',
	},
	{
		displayName: 'Redis Password',
		name: 'redisPassword',
		type: 'string',
		typeOptions: { password: true },
		default: '',
		displayOptions: inRedis(),
		description: 'Password of Redis, if it needs one',
	},
	{
		displayName: 'Redis Database',
		name: 'redisDatabase',
		type: 'number',
		default: REDIS_DEFAULTS.redisDatabase,
		displayOptions: inRedis('standalone', 'sentinel'),
		description: 'Number of the database in Redis, usually 0',
	},
	{
		displayName: 'Redis TLS',
		name: 'redisTls',
		type: 'boolean',
		default: false,
		displayOptions: inRedis(),
		description: 'Whether to encrypt the connection to Redis, and to the Sentinels',
	},
	{
		displayName: 'Redis TLS Server Name',
		name: 'redisTlsServerName',
		type: 'string',
		default: '',
		placeholder: 'e.g. redis.example.com',
		displayOptions: withTls,
		description: 'Name in the certificate of Redis, if it differs from the host',
	},
	{
		displayName: 'Redis TLS CA',
		name: 'redisTlsCa',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		placeholder: 'e.g. -----BEGIN CERTIFICATE-----',
		displayOptions: withTls,
		description:
			'Certificate (PEM) of the authority that signed the certificate of Redis, if it is a private one',
	},
];
