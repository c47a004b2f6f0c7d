/** Every field where a user can enter a value, taken from the node descriptions, so that none is missed. */
import type {
	ICredentialDataDecryptedObject,
	INode,
	INodeProperties,
	INodePropertyCollection,
} from 'n8n-workflow';

import { BusinessDataApi } from '../../credentials/BusinessDataApi.credentials';
import { BusinessDataTrigger } from '../../nodes/BusinessData/BusinessDataTrigger.node';
import {
	choicesOf,
	description,
	fieldsOf,
	groupsOf,
	optionsOf,
} from '../unit/description/properties';

type Parameters = INode['parameters'];
type Path = ReadonlyArray<string | number>;

export interface Place {
	/** For example `transaction/send options.timeout`. */
	name: string;
	/** The labels of the field and of the fields around it. An error names one of them. */
	labels: string[];
	property: INodeProperties;
	of: 'node' | 'trigger' | 'credential';
	/** Parameters, or fields of the credential, with this value in the field. */
	withValue(value: unknown): Parameters;
}

const CONTACTS = '/masterdata/getContacts';

/** Valid values of the other fields. */
const BASIC_VALUES: Parameters = {
	path: '/sandbox/echo',
	ids: 'a',
	returnAll: false,
	dataMode: 'autoMapInputData',
	idField: 'id',
	sendOnceKey: 'a',
	endpoint: 'POST /sandbox/echo',
};

const eventsOf = (source: string) => [source === 'contacts' ? 'contactCreated' : 'recordCreated'];

/** The fields in an entry of n8n's `assignmentCollection`, which the descriptions do not list. */
const TYPES = ['string', 'number', 'boolean', 'array', 'object'];
const IN_ASSIGNMENTS: Pick<INodePropertyCollection, 'name' | 'values'> = {
	name: 'assignments',
	values: [
		{ displayName: 'Name', name: 'name', type: 'string', default: '' },
		{
			displayName: 'Type',
			name: 'type',
			type: 'options',
			default: 'string',
			options: TYPES.map((value) => ({ name: value, value })),
		},
		{ displayName: 'Value', name: 'value', type: 'string', default: '' },
	],
};

/** Values that a field needs next to it, by its path. A name with `/` is at the root. */
const NEEDED: Array<[path: RegExp, siblings: Parameters]> = [
	[/\.assignments\.0\./, { name: 'a', type: 'string', value: 'a' }],
	[/\.sendOnce(?!Key)/, { sendOnceKey: 'a' }],
	[/\.(value|parameterType|inputDataFieldName)$/, { name: 'a' }],
	[/\.incremental\./, { parameter: 'since', customFormat: 'yyyy-MM-dd' }],
	[/\.deletedWhen\./, { field: 'state', value: 'gone' }],
	// Pagination needs an endpoint that returns a list.
	[/\.pagination/, { '/path': CONTACTS }],
];

/** A field with its path in the parameters, and the other values that make it count. */
interface Branch {
	property: INodeProperties;
	path: Path;
	labels: string[];
	beside: Parameters;
}

/** The field, and all fields inside it. */
function* branchesOf(
	property: INodeProperties,
	parent: Omit<Branch, 'property'> = { path: [], labels: [], beside: {} },
): Generator<Branch> {
	const path = [...parent.path, property.name];
	const labels = [...parent.labels, property.displayName];
	const beside = besideOf(property, parent);
	const inside = groupsOf(property).flatMap(({ values }) => values);
	// If a group lacks a required field, the error names that field.
	const names = [...labels, ...inside.map(({ displayName }) => displayName)];
	yield { property, path, labels: names, beside };
	for (const option of optionsOf(property)) yield* branchesOf(option, { path, labels, beside });
	const isAssignments = property.type === 'assignmentCollection';
	const isList = isAssignments || property.typeOptions?.multipleValues === true;
	const groups = isAssignments ? [IN_ASSIGNMENTS] : groupsOf(property);
	for (const { name, values } of groups) {
		const inGroup = [...path, name, ...(isList ? [0] : [])];
		for (const value of values) yield* branchesOf(value, { path: inGroup, labels, beside });
	}
}

/** The values that show the field and make it count. */
function besideOf(
	{ displayOptions, name }: INodeProperties,
	{ path, beside }: Omit<Branch, 'property'>,
) {
	const { resource: _, operation: __, ...show } = displayOptions?.show ?? {};
	const shown = Object.entries(show).map(([other, values]): [string, unknown] => [
		other,
		values?.[0],
	]);
	const isHidden = displayOptions?.hide?.type?.includes('none') === true;
	const needed = NEEDED.filter(([pattern]) => pattern.test([...path, name].join('.')));
	const siblings = Object.assign(
		{ ...Object.fromEntries(shown), ...(isHidden && { type: 'pageNumber' }) },
		...needed.map(([, values]) => values),
	) as Record<string, unknown>;
	return Object.entries(siblings).reduce((all, [sibling, value]) => {
		const isAtRoot = sibling.startsWith('/');
		return setAt(all, isAtRoot ? [sibling.slice(1)] : [...path, sibling], value);
	}, beside);
}

/** A copy with the value at the path. */
function setAt(root: unknown, [first, ...rest]: Path, value: unknown): Parameters {
	if (first === undefined) return value as Parameters;
	if (typeof first === 'number')
		return [setAt((root as unknown[] | undefined)?.[first], rest, value)] as never;
	const record = (root ?? {}) as Parameters;
	return { ...record, [first]: setAt(record[first], rest, value) };
}

const placesIn = (
	properties: INodeProperties[],
	prefix: string,
	of: Place['of'],
	basis: Parameters,
): Place[] =>
	properties
		.flatMap((property) => [...branchesOf(property)])
		.map(({ property, path, labels, beside }) => ({
			name: `${prefix} ${path.join('.')}`,
			labels,
			property,
			of,
			withValue: (value) => setAt({ ...basis, ...beside }, path, value),
		}));

/** All places of the node, the trigger and the credential. */
export function allPlaces(credential: ICredentialDataDecryptedObject): Place[] {
	const [resources, ...operations] = description.properties.filter(({ name }) =>
		['resource', 'operation'].includes(name),
	);
	const read = { resource: 'contact', operation: 'getMany' };
	const first = [resources, operations[0]] as INodeProperties[];
	const places = placesIn(first, 'contact/getMany', 'node', read);
	for (const operationList of operations) {
		const resource = operationList.displayOptions?.show?.resource?.[0] as string;
		for (const { value } of choicesOf(operationList)) {
			const operation = String(value);
			const basis = { ...BASIC_VALUES, resource, operation };
			// A method that has a body.
			if (resource === 'apiRequest') Object.assign(basis, { method: 'POST' });
			const fields = fieldsOf(resource, operation);
			places.push(...placesIn(fields, `${resource}/${operation}`, 'node', basis));
		}
	}
	const trigger = new BusinessDataTrigger().description.properties;
	for (const source of ['contacts', 'endpoint']) {
		const basis = { ...BASIC_VALUES, source, path: CONTACTS, events: eventsOf(source) };
		const fields = trigger.filter(
			({ displayOptions }) => displayOptions?.show?.source?.includes(source) ?? true,
		);
		places.push(...placesIn(fields, `trigger/${source}`, 'trigger', basis));
	}
	const { properties } = new BusinessDataApi();
	places.push(...placesIn(properties, 'credential', 'credential', credential as Parameters));
	return places;
}
