/** Every place where a user can enter a value, taken from the descriptions, so that none is forgotten. */
import type { ICredentialDataDecryptedObject, INode, INodeProperties } from 'n8n-workflow';

import { BusinessDataApi } from '../../credentials/BusinessDataApi.credentials';
import { BusinessData } from '../../nodes/BusinessData/BusinessData.node';
import { BusinessDataTrigger } from '../../nodes/BusinessData/BusinessDataTrigger.node';
import { choicesOf, groupsOf, optionsOf } from '../unit/description/properties';

type Parameters = INode['parameters'];
type Path = ReadonlyArray<string | number>;

export interface Place {
	/** For example `transaction/send options.timeout`. */
	name: string;
	/** Of the field itself and of those it is in: an error names one of them. */
	labels: string[];
	property: INodeProperties;
	of: 'node' | 'trigger' | 'credential';
	/** Parameters, or fields of the credential, with this value in the place. */
	withValue(value: unknown): Parameters;
}

const CONTACTS = '/masterdata/getContacts';

/** Values of the other fields with which a request goes out. */
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

const description = new BusinessData().description.properties;

/** What is in each entry of n8n's `assignmentCollection`, which the descriptions do not say. */
const IN_AN_ASSIGNMENT: INodeProperties[] = [
	{ displayName: 'Name', name: 'name', type: 'string', default: '' },
	{
		displayName: 'Type',
		name: 'type',
		type: 'options',
		options: ['string', 'number', 'boolean', 'array', 'object'].map((value) => ({
			name: value,
			value,
		})),
		default: 'string',
	},
	{ displayName: 'Value', name: 'value', type: 'string', default: '' },
];

/** Where a field is, below the parameters, with the other values that make it count. */
interface Branch {
	property: INodeProperties;
	path: Path;
	labels: string[];
	beside: Parameters;
}

/** The field, and all fields inside of it. */
function* branchesOf(
	property: INodeProperties,
	above: Omit<Branch, 'property'>,
): Generator<Branch> {
	const path = [...above.path, property.name];
	const labels = [...above.labels, property.displayName];
	const beside = { ...above.beside, ...besideOf(property) };
	const inside = groupsOf(property).flatMap(({ values }) => values);
	// A group without the field that it needs: the error names that field.
	const names = [...labels, ...inside.map(({ displayName }) => displayName)];
	yield { property, path, labels: names, beside };
	for (const option of optionsOf(property)) {
		const siblings = {
			...besideOf(option),
			...(/^sendOnce(?!Key)/.test(option.name) ? { sendOnceKey: 'a' } : {}),
		};
		const inside = { ...setAt(beside, path, notAtRoot(siblings)), ...atRoot(siblings) };
		yield* branchesOf({ ...option, displayOptions: undefined }, { path, labels, beside: inside });
	}
	if (property.type === 'assignmentCollection') {
		const inEntry = [...path, 'assignments', 0];
		const entry = setAt(beside, inEntry, { name: 'a', type: 'string', value: 'a' });
		for (const value of IN_AN_ASSIGNMENT) {
			yield* branchesOf(value, { path: inEntry, labels, beside: entry });
		}
	}
	for (const group of groupsOf(property)) {
		const isList = property.typeOptions?.multipleValues === true;
		const inGroup = [...path, group.name, ...(isList ? [0] : [])];
		for (const value of group.values) {
			yield* branchesOf(value, {
				path: inGroup,
				labels,
				beside: inFrontOf(inGroup, value, beside),
			});
		}
	}
}

/** What `displayOptions` asks of the other fields; those of a group are set beside the field. */
function besideOf({ displayOptions }: INodeProperties): Parameters {
	const { resource: _, operation: __, ...show } = displayOptions?.show ?? {};
	return Object.fromEntries(Object.entries(show).map(([name, values]) => [name, values?.[0]]));
}

function inFrontOf(
	path: Path,
	{ displayOptions, name }: INodeProperties,
	beside: Parameters,
): Parameters {
	const isHidden = displayOptions?.hide?.type?.includes('none') === true;
	const shown = besideOf({ displayOptions } as INodeProperties);
	const siblings = {
		...notAtRoot(shown),
		...(isHidden ? { type: 'pageNumber' } : {}),
		...(/^(value|parameterType|inputDataFieldName)$/.test(name) ? { name: 'a' } : {}),
		...(path.includes('incremental') ? { parameter: 'since' } : {}),
		...(path.includes('deletedWhen') ? { field: 'state', value: 'gone' } : {}),
	};
	return { ...setAt(beside, path, siblings), ...atRoot(shown) };
}

/** `/method` in a display option means the field at the top. */
const isRoot = (name: string) => name.startsWith('/');

const notAtRoot = (siblings: Parameters): Parameters =>
	Object.fromEntries(Object.entries(siblings).filter(([name]) => !isRoot(name)));

const atRoot = (siblings: Parameters): Parameters =>
	Object.fromEntries(Object.entries(siblings).filter(([name]) => isRoot(name)));

/** A copy with the value at the path. */
function setAt(root: unknown, [first, ...rest]: Path, value: unknown): Parameters {
	if (first === undefined) return value as Parameters;
	if (typeof first === 'number')
		return [setAt((root as unknown[] | undefined)?.[first], rest, value)] as never;
	const record = (root ?? {}) as Parameters;
	return { ...record, [first]: setAt(record[first], rest, value) };
}

function placesIn(
	properties: INodeProperties[],
	prefix: string,
	of: Place['of'],
	basis: Parameters,
): Place[] {
	return properties
		.flatMap((property) => [...branchesOf(property, { path: [], labels: [], beside: {} })])
		.map(({ property, path, labels, beside }) => ({
			name: `${prefix} ${path.join('.')}`,
			labels,
			property,
			of,
			withValue: (value) =>
				setAt({ ...basis, ...listOf(path), ...withoutRoot(beside) }, path, value),
		}));
}

/** The settings of a list need an endpoint that has one. */
const listOf = (path: Path): Parameters => (path.includes('pagination') ? { path: CONTACTS } : {});

function withoutRoot(beside: Parameters): Parameters {
	return Object.fromEntries(
		Object.entries(beside).map(([name, value]) => [name.replace(/^\//, ''), value]),
	);
}

/** All places of the node, the trigger and the credential. */
export function allPlaces(credential: ICredentialDataDecryptedObject): Place[] {
	const chosen = ['resource', 'operation'];
	const ofChoice = description.filter(({ name }) => chosen.includes(name));
	const read = { resource: 'contact', operation: 'getMany' };
	const places = placesIn(ofChoice.slice(0, 2), 'contact/getMany', 'node', read);
	for (const operationList of ofChoice.slice(1)) {
		const resource = operationList.displayOptions?.show?.resource?.[0] as string;
		for (const { value: operation } of choicesOf(operationList)) {
			const fields = description.filter(
				({ name, displayOptions }) =>
					!chosen.includes(name) &&
					displayOptions?.show?.resource?.includes(resource) &&
					displayOptions.show.operation?.includes(operation as string),
			);
			const basis = { ...BASIC_VALUES, resource, operation } as Parameters;
			// Where it matters, in an operation that sends something.
			if (resource === 'apiRequest') basis.method = 'POST';
			places.push(...placesIn(fields, `${resource}/${String(operation)}`, 'node', basis));
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
