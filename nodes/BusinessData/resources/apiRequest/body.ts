/** The body of an API Request: JSON, a form or a file. The fields are named as in n8n's HTTP Request node. */
import { hash } from 'node:crypto';

import type { IHttpRequestMethods, INodeProperties } from 'n8n-workflow';

import { InvalidSettingError } from '../../values/invalidSettingError';
import { boundaryOf, encodeMultipart, type FileFacts, type Part } from '../../transport/multipart';
import { encodeForm, type ServiceRequest } from '../../transport/serviceRequest';
import {
	readChoice,
	readEntries,
	readGroup,
	readName,
	readText,
	readTextToSend,
} from '../../values/settingValues';
import { shownWith } from '../../operations/operation';
import { bodyFields, isEmpty, readJsonBody } from '../../parameters/requestBody';
import { nameField, valueField } from '../../parameters/requestOptions';
import type { Run } from '../../run/run';

const TYPE = 'Body Content Type';
const PARTS = 'Body Fields';
const FILE = 'Input Data Field Name';

type ContentType = 'binaryData' | 'form-urlencoded' | 'json' | 'multipart-form-data' | 'none';

const FORM = 'application/x-www-form-urlencoded';
/** A content type for a file. Not that of a form, because n8n cannot send a Buffer with it. */
const OF_A_FILE = /^(?!multipart\/|application\/x-www-form-urlencoded$)[\w!#$&^.+*-]+\/[\t -~]+$/i;

/** Parameters that a content type may have: bodies are written in UTF-8. */
const IN_UTF8 = '\\s*(?!.*charset\\s*=(?!\\s*"?utf-?8"?\\s*(;|$)))(;|$)';

/** Content-Type headers that the user may set. */
const FITTING_TYPES: Record<ContentType, RegExp | undefined> = {
	binaryData: OF_A_FILE,
	'form-urlencoded': new RegExp(`^application/x-www-form-urlencoded${IN_UTF8}`, 'i'),
	json: new RegExp(`^[\\w.-]+/([\\w.-]+\\+)?json${IN_UTF8}`, 'i'),
	'multipart-form-data': undefined,
	none: undefined,
};
const CONTENT_TYPES = Object.keys(FITTING_TYPES) as ContentType[];
const METHODS_WITH_BODY: IHttpRequestMethods[] = ['POST', 'PUT', 'PATCH', 'DELETE'];

const fileField: INodeProperties = {
	displayName: FILE,
	name: 'inputDataFieldName',
	type: 'string',
	default: 'data',
	description: 'Name of the binary field of the input item that holds the file',
};

const contentTypeField: INodeProperties = {
	displayName: TYPE,
	name: 'contentType',
	type: 'options',
	options: [
		{ name: 'Binary File', value: 'binaryData', description: 'A file as it is' },
		{ name: 'Form URL-Encoded', value: 'form-urlencoded' },
		{
			name: 'Form-Data (Multipart)',
			value: 'multipart-form-data',
			description: 'Fields and files',
		},
		{ name: 'JSON', value: 'json' },
		{ name: 'None', value: 'none', description: 'Send no body' },
	],
	default: 'json',
	description: 'How to encode the body',
};

const partsField: INodeProperties = {
	displayName: PARTS,
	name: 'bodyParameters',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Field',
	default: {},
	description: 'The fields to send',
	options: [
		{
			displayName: 'Field',
			name: 'parameters',
			values: [
				{
					displayName: 'Type',
					name: 'parameterType',
					type: 'options',
					options: [
						{ name: 'Form Data', value: 'formData' },
						{ name: 'Binary File', value: 'formBinaryData' },
					],
					default: 'formData',
					displayOptions: { show: { '/contentType': ['multipart-form-data'] } },
					description: 'Type of the field',
				},
				nameField,
				{ ...valueField, displayOptions: { hide: { parameterType: ['formBinaryData'] } } },
				{
					...fileField,
					displayOptions: {
						show: { '/contentType': ['multipart-form-data'], parameterType: ['formBinaryData'] },
					},
				},
			],
		},
	],
};

export const contentFields: INodeProperties[] = [
	contentTypeField,
	...bodyFields.map((field) => shownWith(field, { contentType: ['json'] })),
	shownWith(partsField, { contentType: ['form-urlencoded', 'multipart-form-data'] }),
	shownWith(fileField, { contentType: ['binaryData'] }),
].map((field) => shownWith(field, { method: METHODS_WITH_BODY }));

/**
 * The body of an item's request, and the content types that a header may give it.
 * @throws InvalidSettingError that names the field
 */
export async function readBody(
	run: Run,
	itemIndex: number,
	method: IHttpRequestMethods,
): Promise<Pick<ServiceRequest, 'body' | 'encoded'> & { fittingTypes?: RegExp }> {
	if (!METHODS_WITH_BODY.includes(method)) return {};
	const written = run.parameter('contentType', itemIndex, 'json');
	const contentType = readChoice(TYPE, written, CONTENT_TYPES);
	const fittingTypes = FITTING_TYPES[contentType];
	if (contentType === 'none') return {};
	if (contentType !== 'json') {
		return { fittingTypes, ...(await readEncoded(run, itemIndex, contentType)) };
	}
	const body = readJsonBody(run, itemIndex);
	// A DELETE without fields has no body.
	return method === 'DELETE' && isEmpty(body) ? { fittingTypes } : { fittingTypes, body };
}

/** Files are read again when the request goes out, so that memory holds those of one item only. */
async function readEncoded(
	run: Run,
	itemIndex: number,
	contentType: Exclude<ContentType, 'json' | 'none'>,
): Promise<Required<Pick<ServiceRequest, 'body' | 'encoded'>>> {
	if (contentType === 'binaryData') {
		const name = run.parameter('inputDataFieldName', itemIndex, 'data');
		const { facts, read } = await readFile(run, itemIndex, name);
		return { body: facts, encoded: { contentType: facts.mimeType, read } };
	}
	const group = readGroup(PARTS, run.parameter('bodyParameters', itemIndex, {}));
	const entries = readEntries(PARTS, group.parameters);
	if (entries.length === 0) {
		const howToFix = `Add a field, or choose None as ${TYPE}.`;
		throw new InvalidSettingError(PARTS, 'there is nothing to send', howToFix);
	}
	if (contentType === 'form-urlencoded') {
		if (entries.some(({ value }) => value === undefined)) {
			const howToFix = 'Choose Form-Data (Multipart) as Body Content Type, or remove the file.';
			throw new InvalidSettingError(PARTS, 'a URL-encoded form cannot hold a file', howToFix);
		}
		const body = entries.map(readField);
		return { body, encoded: { contentType: FORM, read: bufferOf(encodeForm(body)) } };
	}
	const parts = new Map<Part, () => Promise<Buffer>>();
	for (const entry of entries) {
		const { parameterType = 'formData', inputDataFieldName = 'data' } = entry;
		if (readChoice(PARTS, parameterType, ['formData', 'formBinaryData']) === 'formData') {
			const part = readField(entry);
			parts.set(part, bufferOf(part.value));
		} else {
			const { facts, read } = await readFile(run, itemIndex, inputDataFieldName);
			parts.set({ name: readName(PARTS, entry.name), ...facts }, read);
		}
	}
	const body = [...parts.keys()];
	const type = `multipart/form-data; boundary=${boundaryOf(body)}`;
	return { body, encoded: { contentType: type, read: async () => await encodeMultipart(parts) } };
}

const bufferOf = (text: string) => async () => await Promise.resolve(Buffer.from(text));

function readField(entry: Record<string, unknown>) {
	const name = readName(PARTS, entry.name);
	return { name, value: readTextToSend(PARTS, entry.value, name) };
}

/** A file of the input item. @throws InvalidSettingError if it has none of that name */
async function readFile(run: Run, itemIndex: number, nameValue: unknown) {
	const name = readText(FILE, nameValue).trim();
	const binary = run.items[itemIndex]?.binary ?? {};
	const file = Object.hasOwn(binary, name) ? binary[name] : undefined;
	if (file === undefined) {
		const known = Object.keys(binary).join(', ') || 'none';
		throw new InvalidSettingError(
			FILE,
			`the input item has no binary field "${name}"`,
			`Enter the name of one that it has (${known}), and check that the node before this one passes files on.`,
		);
	}
	const read = async () => await run.context.helpers.getBinaryDataBuffer(itemIndex, name);
	const content = await read();
	const facts: FileFacts = {
		fileName: String(file.fileName || name),
		mimeType: OF_A_FILE.test(file.mimeType) ? file.mimeType : 'application/octet-stream',
		size: content.length,
		sha256: hash('sha256', content),
	};
	return { facts, read };
}
