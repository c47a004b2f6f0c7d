// Remote control of the sandbox: other processes read the journal and set up faults below `/_sandbox/`. The real
// service has no such paths, so they need no key and have no limits.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { errorResponse, jsonResponse, type SandboxResponse } from './responses';
import { deliver } from './delivery';
import type { SandboxState } from './exchange';
import { checkFaultRule } from './faultRules';
import { checkForm } from './form';
import { receive, type ReceivedRequest } from './request';

/** The prefix of paths that are not part of the service. */
export const CONTROL_PREFIX = '/_sandbox/';

/** What the remote control can access. */
interface Controlled {
	state: SandboxState;
	reset: () => void;
}

type Control = (controlled: Controlled, request: ReceivedRequest) => SandboxResponse;

const contact = z
	.strictObject({
		id: z.string(),
		name: z.string(),
		email: z.string(),
		city: z.string(),
		updatedAt: z.string(),
	})
	.partial();
const contactChanges = z.object({
	add: z.array(contact).default([]),
	update: z.array(contact).default([]),
	remove: z.array(z.coerce.string()).default([]),
});

/** Adds, updates and removes contacts, in this order: `{ add: [{…}], update: [{id, …}], remove: [id] }`. */
const changeContacts: Control = ({ state: { contacts } }, { body }) => {
	const changes = checkForm('The changes', contactChanges, body);
	const added = changes.add.map((fields) => contacts.add(fields));
	const updated = changes.update.map(({ id = '', ...fields }) => contacts.update(id, fields));
	const removed = contacts.remove(changes.remove);
	return jsonResponse(200, { added, updated, removed, contacts: contacts.list().length });
};

const CONTROLS: Record<string, Control> = {
	'GET /_sandbox/journal': ({ state }, { query }) =>
		jsonResponse(200, state.journal.since(Number(query.since ?? 0))),
	'GET /_sandbox/summary': ({ state }) => jsonResponse(200, state.journal.summary()),
	'POST /_sandbox/faults': ({ state }, { body }) => {
		state.faults.add(checkFaultRule(body));
		return jsonResponse(201, { rules: state.faults.size });
	},
	'DELETE /_sandbox/faults': ({ state }) => {
		state.faults.clear();
		return jsonResponse(200, { rules: 0 });
	},
	'POST /_sandbox/reset': ({ reset }) => {
		reset();
		return jsonResponse(200, {});
	},
	'POST /_sandbox/contacts': changeContacts,
};

function runControl(controlled: Controlled, request: ReceivedRequest): SandboxResponse {
	const control = CONTROLS[`${request.method} ${request.path}`];
	if (control === undefined) return errorResponse(404, 'There is no such control');
	try {
		return control(controlled, request);
	} catch (error) {
		return errorResponse(400, error instanceof Error ? error.message : String(error));
	}
}

/** Serves one request below `/_sandbox/`. */
export async function serveControl(
	controlled: Controlled,
	incoming: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	const request = await receive(incoming, controlled.state.options.endpoints);
	if (request === undefined) return;
	await deliver(runControl(controlled, request), response);
}
