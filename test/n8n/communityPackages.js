// Installs community packages with n8n's own code, as n8n does on startup with N8N_COMMUNITY_PACKAGES, and prints the
// result of each. Stubs replace the parts of n8n that the tests do not need: its licence (without one, it accepts only
// npm's registry), its database, its list of banned packages, and the loading of the nodes.
const { mkdirSync, mkdtempSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const [n8nFolder, folder, trials] = process.argv.slice(2);
// As n8n's own command does.
const loadDependency = (name) => require(require.resolve(name, { paths: [n8nFolder] }));
loadDependency('reflect-metadata');
const { LoggerProxy } = loadDependency('n8n-workflow');
const load = (path) => require(join(n8nFolder, 'dist', path));
const { CommunityPackagesService } = load('modules/community-packages/community-packages.service');
const { CommunityPackagesInstanceSettingsLoader } = load(
	'instance-settings-loader/loaders/community-packages.instance-settings-loader',
);

async function install({ communityPackages, registry }) {
	const nodesDownloadDir = mkdtempSync(join(folder, 'nodes-'));
	mkdirSync(join(nodesDownloadDir, 'node_modules'), { recursive: true });
	const config = { enabled: true, registry, unverifiedEnabled: false };
	const errors = [];
	const logger = { error: (line) => errors.push(line), info() {}, warn() {}, debug() {} };
	logger.scoped = () => logger;
	// n8n logs the output of npm as a warning.
	const warn = (_, { errorMessage }) => errors.push(errorMessage);
	LoggerProxy.init({ ...logger, warn });
	let installed;
	const loader = {
		loaders: {},
		loadPackage(name) {
			const file = join(nodesDownloadDir, 'node_modules', name, 'package.json');
			installed = JSON.parse(readFileSync(file, 'utf8')).version;
			return { loadedNodes: [{}], packageJson: { name } };
		},
		unloadPackage() {},
		postProcessLoaders() {},
		releaseTypes() {},
	};
	const database = {
		find: () => [],
		saveInstalledPackageWithNodes: () => ({ installedVersion: installed }),
	};
	const service = new CommunityPackagesService(
		{ nodesDownloadDir },
		logger,
		database,
		loader,
		{ publishCommand: async () => undefined },
		{ isCustomNpmRegistryEnabled: () => true },
		config,
		{ requests: () => ({ request: async () => ({ status: 'OK' }) }) },
	);
	await service.ensurePackageJson();
	const settings = { communityPackagesManagedByEnv: true, communityPackages };
	const start = new CommunityPackagesInstanceSettingsLoader(
		settings,
		config,
		service,
		{ findVetted: async () => undefined },
		{},
		logger,
	);
	await start.run().catch(({ message }) => errors.push(message));
	return { installed, errors: errors.join('\n') };
}

async function main() {
	const results = [];
	for (const trial of JSON.parse(trials)) results.push(await install(trial));
	console.log(JSON.stringify(results));
}

main().then(() => process.exit());
