// The environment of a started n8n: an instance in its own folder, on the loopback interface, that sends no requests
// except for those of its workflows.
import { join } from 'node:path';
import { cacheFolder } from './cache';
import type { N8nHost } from './installN8n';
import type { UserFolder } from './userFolder';

// Settings of the user's shell for another n8n must not affect this one.
const OTHER_INSTANCE =
	/^(N8N_|DB_|EXECUTIONS_|QUEUE_|NODES_|CREDENTIALS_|WEBHOOK_URL$|NODE_OPTIONS$|npm_)/i;

const FIXED_SETTINGS = {
	// Otherwise n8n would behave like a development build, and call its vendor's staging servers.
	NODE_ENV: 'production',
	N8N_LISTEN_ADDRESS: '127.0.0.1',
	N8N_HOST: '127.0.0.1',
	N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
	N8N_RUNNERS_BROKER_LISTEN_ADDRESS: '127.0.0.1',
	// The editor has no TLS here.
	N8N_SECURE_COOKIE: 'false',
	N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',

	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
	N8N_LICENSE_DETACH_FLOATING_ON_SHUTDOWN: 'false',
	// Enable community packages, but do not fetch the list of verified ones.
	N8N_COMMUNITY_PACKAGES_ENABLED: 'true',
	N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
	N8N_LOG_LEVEL: 'info',
};

/**
 * The environment of an n8n process. Requests to 127.0.0.1 need no setting, because n8n's protection against them
 * (N8N_SSRF_PROTECTION_ENABLED) is off by default.
 *
 * @param extra Settings of this process, which override all others.
 */
export function n8nEnvironment(
	host: N8nHost,
	userFolder: UserFolder,
	extra: Record<string, string>,
): NodeJS.ProcessEnv {
	const inherited = Object.entries(host.environment).filter(([name]) => !OTHER_INSTANCE.test(name));
	const exceptions = [process.env.NO_PROXY ?? process.env.no_proxy, '127.0.0.1', 'localhost'];
	const noProxy = exceptions.filter((part) => part !== undefined && part !== '').join(',');
	return {
		...Object.fromEntries(inherited),
		...FIXED_SETTINGS,
		...host.settings,
		// A compile cache for the many thousand files that n8n loads at every start.
		NODE_COMPILE_CACHE: join(cacheFolder(), 'compiled'),
		N8N_USER_FOLDER: userFolder.path,
		N8N_ENCRYPTION_KEY: userFolder.encryptionKey,
		// Requests to this machine must not go through the user's proxy.
		NO_PROXY: noProxy,
		no_proxy: noProxy,
		...extra,
	};
}
