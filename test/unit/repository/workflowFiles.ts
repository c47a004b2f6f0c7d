/** GitHub's workflows and other YAML files, as far as tests ask about them. */
import { parseDocument } from 'yaml';

import { readProjectFile } from './projectFiles';

export interface Step {
	id?: string;
	uses?: string;
	run?: string;
	with?: Record<string, unknown>;
}
export interface Job {
	'timeout-minutes'?: number;
	environment?: string;
	env?: Record<string, string>;
	outputs?: Record<string, string>;
	permissions?: Record<string, string>;
	steps: Step[];
}
export interface Workflow {
	permissions: Record<string, string>;
	concurrency?: unknown;
	jobs: Record<string, Job>;
}

/** The content of a YAML file, which must have no errors or warnings, such as a key that is there twice. */
export function readYaml<T>(path: string): T {
	const document = parseDocument(readProjectFile(path));
	expect([...document.errors, ...document.warnings]).toEqual([]);
	return document.toJS() as T;
}
