/**
 * n8n in one process: the loaded nodes of the package, and what all their contexts offer. It is as thin as possible;
 * `test/engine/simulation.test.ts` compares it with the real engine.
 */
import type { ICredentialType, INodeType } from 'n8n-workflow';

import type { SimulatedProcess } from '../process/simulatedProcess';
import { type DeduplicationTable, loadDeduplicator } from './deduplication';
import { httpHelper } from './httpHelper';
import { type CredentialFields, nodeJson, type SavedNode } from './workflow';

export interface Installation {
	/** The currently saved credentials, by ID. */
	credentials: Map<string, CredentialFields>;
	table: DeduplicationTable;
	n8nSources: string;
	/** Whether reading a credential from the database, or storing a file, fails now. */
	faultOf(access: 'credential' | 'file'): boolean;
	/** How long (ms) the database takes. */
	latency(): number;
	log(text: string): void;
}

export class Host {
	readonly credentialType: ICredentialType;

	constructor(
		readonly process: SimulatedProcess,
		readonly installation: Installation,
	) {
		const file = 'credentials/BusinessDataApi.credentials.js';
		const { BusinessDataApi } = process.require(file) as {
			BusinessDataApi: new () => ICredentialType;
		};
		this.credentialType = new BusinessDataApi();
		const deduplicator = loadDeduplicator(process, installation.table, installation.n8nSources);
		// n8n's service delegates to it.
		const service = Object.assign(deduplicator, { deduplicator });
		process.n8nCore.DataDeduplicationService = { getInstance: () => service };
	}

	nodeType(copy: number): INodeType {
		const file = 'nodes/BusinessData/BusinessData.node.js';
		const { BusinessData } = this.process.require(file, copy) as {
			BusinessData: new () => INodeType;
		};
		return new BusinessData();
	}

	async credential(id: string): Promise<CredentialFields> {
		const { credentials } = this.installation;
		const isLost = this.installation.faultOf('credential');
		await this.process.world.sleep(this.installation.latency(), this.process);
		if (isLost) throw new this.process.realm.global.Error('the database is away');
		const fields = credentials.get(id);
		if (fields === undefined) throw new Error(`There is no credential ${id}`);
		return this.process.realm.copy(fields);
	}

	common(node: SavedNode, type: string) {
		const { realm } = this.process;
		const log = (...parts: unknown[]) => this.installation.log(parts.map(String).join(' '));
		return {
			getNode: () => realm.copy(nodeJson(node, type)),
			getWorkflow: () => realm.copy({ id: node.workflowId, name: node.workflowId, active: true }),
			getCredentials: async () => await this.credential(node.credential),
			logger: { debug: log, info: log, warn: log, error: log },
		};
	}

	helpers(execution: string, run: number) {
		const { process } = this;
		const caller = { process: process.name, execution, run };
		return {
			httpRequestWithAuthentication: httpHelper(process, this.credentialType, caller),
			prepareBinaryData: async (bytes: Buffer, fileName?: string, mimeType?: string) => {
				const isFull = this.installation.faultOf('file');
				await process.world.sleep(this.installation.latency(), process);
				if (isFull) throw new process.realm.global.Error('ENOSPC: no space left on device');
				return process.realm.copy({ data: bytes.toString('base64'), fileName, mimeType });
			},
		};
	}
}
