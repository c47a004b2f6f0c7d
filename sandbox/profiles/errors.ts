// Error responses of bookkeeping services: E1 to E31.

import type { Profile, Reply } from './profile';

const xml = { 'content-type': 'application/xml' };
const html = { 'content-type': 'text/html' };
const text = { 'content-type': 'text/plain' };

/** An error response that contains each of these texts. */
const says = (texts: string[], body: unknown, more: Reply = {}): Profile => ({
	change: { status: 422, body, ...more },
	texts,
});
/** An error response with status 200. */
const says200 = (credential: Record<string, string>, texts: string[], body: unknown): Profile => ({
	change: { body },
	credential,
	texts,
});

export const ERRORS: Record<string, Profile> = {
	E1: says(['No such client'], { message: 'No such client' }),
	E2: says(['The data was invalid.', 'The email is taken.', 'The email is too long.', 'No name'], {
		message: 'The data was invalid.',
		errors: { email: ['The email is taken.', 'The email is too long.'], name: ['No name'] },
	}),
	E3: says(['unauthenticated'], { error: 'unauthenticated' }),
	E4: says(['card_error', 'expired_card', 'Your card has expired.', 'exp_year'], {
		error: {
			type: 'card_error',
			code: 'expired_card',
			message: 'Your card has expired.',
			param: 'exp_year',
		},
	}),
	E5: says(['Invalid value in field: Name'], {
		error: { code: '', message: { lang: '', value: 'Invalid value in field: Name' } },
	}),
	E6: says(['field required', 'not a number'], {
		errno: 2001,
		error: { title: 'field required', rate: 'not a number' },
	}),
	E7: says(['Unprocessable', 'url: must be https', 'event: unknown'], {
		errno: 422,
		message: 'Unprocessable',
		details: ['url: must be https', 'event: unknown'],
	}),
	E8: says(['Request failed', 'VALIDATION', 'amount', 'must not be negative'], {
		errors: {
			message: 'Request failed',
			status: 'INVALID_ARGUMENT',
			details: [
				{ reason: 'VALIDATION', metadata: { field: 'amount', message: 'must not be negative' } },
			],
		},
	}),
	E9: says(['Client not found.', 'userid'], {
		response: {
			errors: [{ errno: 1012, field: 'userid', message: 'Client not found.', object: 'client' }],
		},
	}),
	E10: says(['Invalid argument', 'BAD_CURRENCY', 'XXX'], {
		code: 3,
		message: 'Invalid argument',
		details: [
			{
				'@type': 'type.googleapis.com/ErrorInfo',
				reason: 'BAD_CURRENCY',
				metadata: { given: 'XXX' },
			},
		],
	}),
	E11: says(['Duplicate Name', 'The name is in use', 'ValidationFault'], {
		Fault: {
			Error: [{ Message: 'Duplicate Name', Detail: 'The name is in use', code: '6240' }],
			type: 'ValidationFault',
		},
		time: '2025-01-01T00:00:00Z',
	}),
	'E11-lower': says(['Duplicate Name', 'The name is in use'], {
		fault: { error: [{ message: 'Duplicate Name', detail: 'The name is in use' }] },
	}),
	E12: says(['A validation exception occurred', 'Email address must be valid.', 'Name missing'], {
		ErrorNumber: 10,
		Type: 'ValidationException',
		Message: 'A validation exception occurred',
		Elements: [
			{
				EmailAddress: 'x',
				ValidationErrors: [
					{ Message: 'Email address must be valid.' },
					{ Message: 'Name missing' },
				],
			},
		],
	}),
	'E12-Detail': says(['TokenExpired: token expired'], {
		Type: null,
		Title: 'Forbidden',
		Status: 403,
		Detail: 'TokenExpired: token expired',
	}),
	E13: says(['Kunden hittades inte.'], {
		ErrorInformation: { Error: 1, Message: 'Kunden hittades inte.', Code: 2000433 },
	}),
	'E13-lower': says(['Ogiltigt värde'], {
		ErrorInformation: { error: 1, message: 'Ogiltigt värde', code: 2000359 },
	}),
	E14: says(
		['Client not found', 'Rate & price missing'],
		'<?xml version="1.0"?><errors><error>Client not found</error><error><![CDATA[Rate & price missing]]></error></errors>',
		{ headers: xml },
	),
	'E14-form': says(
		['token_rejected', 'Token does not match'],
		'oauth_problem=token_rejected&oauth_problem_advice=Token%20does%20not%20match',
		{ headers: html },
	),
	'E15-S22': says200(
		{ resultField: 'error.code', failureValues: '200' },
		['Odoo Server Error', 'odoo.exceptions.UserError', 'The invoice is posted'],
		{
			jsonrpc: '2.0',
			error: {
				code: 200,
				message: 'Odoo Server Error',
				data: { name: 'odoo.exceptions.UserError', message: 'The invoice is posted' },
			},
		},
	),
	E16: says200({ resultField: 'success' }, ['The party is locked', 'PARTY_LOCKED'], {
		success: false,
		message: 'The party is locked',
		error_code: 'PARTY_LOCKED',
		errors: {},
		data: null,
	}),
	E17: says200(
		{ resultField: 'Invoices.0.StatusAttributeString', failureValues: 'ERROR, WARNING' },
		['Account code missing'],
		{
			Status: 'OK',
			Invoices: [
				{ StatusAttributeString: 'ERROR', ValidationErrors: [{ Message: 'Account code missing' }] },
			],
		},
	),
	E18: says200(
		{ resultField: 'BatchItemResponse.0.Fault.type', failureValues: 'ValidationFault' },
		['Stale object', 'Someone changed it'],
		{
			BatchItemResponse: [
				{
					bId: '1',
					Fault: {
						type: 'ValidationFault',
						Error: [{ Message: 'Stale object', Detail: 'Someone changed it' }],
					},
				},
			],
		},
	),
	E19: says200({ resultField: 'code', successValues: '0' }, ['Contact does not exist.'], {
		code: 1002,
		message: 'Contact does not exist.',
	}),
	E20: says(['INVALID_REQUEST_ERROR', 'BAD_REQUEST', 'Expected a string', 'customer.name'], {
		errors: [
			{
				category: 'INVALID_REQUEST_ERROR',
				code: 'BAD_REQUEST',
				detail: 'Expected a string',
				field: 'customer.name',
			},
		],
	}),
	E21: says(['Validering feilet.', 'Feltet må fylles ut.', 'name', 'Look into the fields'], {
		status: 422,
		code: 18000,
		message: 'Validering feilet.',
		link: 'https://example.com/docs',
		developerMessage: 'Look into the fields',
		validationMessages: [{ field: 'name', message: 'Feltet må fylles ut.' }],
		requestId: 'r1',
	}),
	E22: says(['Validation failed', 'NOTNULL', 'lineItems[0].unitPrice', 'must not be null'], {
		timestamp: '2025-01-01T00:00:00Z',
		status: 422,
		error: 'Unprocessable Entity',
		path: '/v1/invoices',
		traceId: 't1',
		message: 'Validation failed',
		details: [
			{ violation: 'NOTNULL', field: 'lineItems[0].unitPrice', message: 'must not be null' },
		],
	}),
	'E22-IssueList': says(['missing_entity', 'company.name', 'validation_failure'], {
		IssueList: [{ i18nKey: 'missing_entity', source: 'company.name', type: 'validation_failure' }],
	}),
	E23: says(['BadRequest', 'Invalid request', 'Client has no state', 'gstState', 'NO_STATE'], {
		name: 'BadRequest',
		message: 'Invalid request',
		code: 400,
		className: 'bad-request',
		data: {
			success: false,
			error: {
				message: 'Client has no state',
				code: 'INVALID',
				status: 400,
				errors: [{ field: 'gstState', message: 'Is required', code: 'NO_STATE' }],
			},
		},
		errors: {},
	}),
	E24: says(['customer[email] : invalid', 'invalid_request', 'param_wrong_value'], {
		message: 'customer[email] : invalid',
		type: 'invalid_request',
		api_error_code: 'param_wrong_value',
		param: 'customer[email]',
	}),
	E25: says(['Invoice rows are missing', 'e-7'], {
		ErrorCode: 4010,
		DeveloperErrorMessage: 'Invoice rows are missing',
		ErrorId: 'e-7',
	}),
	E26: says(['API_VALIDATION_ERROR', 'There was an error', 'amount', 'Must be above 0'], {
		error_code: 'API_VALIDATION_ERROR',
		message: 'There was an error',
		errors: [{ path: 'amount', message: 'Must be above 0' }],
	}),
	E27: says(['E06010', 'Validation failed', 'See the docs', 'Currency is required'], {
		errorCode: 'E06010',
		message: 'Validation failed',
		developerHint: 'See the docs',
		errors: { currency: { errors: [{ errorMessage: 'Currency is required' }] } },
	}),
	E28: says(['Too many lines. Split the invoice.'], 'Too many lines. Split the invoice.', {
		headers: text,
	}),
	E29: says(
		['Down for maintenance', 'Back at 6 & not before'],
		'<!DOCTYPE html><html><head><style>p{}</style><title>Down for maintenance</title></head><body><p>Back at 6 &amp; not before</p></body></html>',
		{ headers: html },
	),
	E30: says(
		['You lack credit.', 'Balance is 30', 'must be positive', '#/age'],
		{
			type: 'https://example.com/out-of-credit',
			title: 'You lack credit.',
			detail: 'Balance is 30',
			errors: [{ detail: 'must be positive', pointer: '#/age' }],
		},
		{ headers: { 'content-type': 'application/problem+json' } },
	),
	E31: says(['Division is not accessible'], undefined, {
		headers: { reason: 'Division is not accessible' },
	}),
};
