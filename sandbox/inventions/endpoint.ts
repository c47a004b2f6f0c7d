// The sandbox's own invention: the interface of an endpoint.

import type { SandboxResponse } from '../responses';
import type { SentDocument } from '../journal';
import type { ReceivedRequest } from '../request';
import type { ContactStore, PaymentStore } from './records';

/** The input of an endpoint. */
export interface EndpointContext {
	request: ReceivedRequest;
	contacts: ContactStore;
	payments: PaymentStore;
	/** Records the request's body in the journal as a sent document. */
	recordDocument: () => SentDocument;
}

/** Carries a request out and returns its response. */
export type Endpoint = (context: EndpointContext) => SandboxResponse;
