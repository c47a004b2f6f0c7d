// The sandbox's own invention: what an endpoint is.

import type { SandboxResponse } from '../responses';
import type { SentDocument } from '../journal';
import type { ReceivedRequest } from '../request';
import type { ContactStore } from './contacts';
import type { PaymentStore } from './payments';

/** What an endpoint has to work with. */
export interface EndpointContext {
	request: ReceivedRequest;
	contacts: ContactStore;
	payments: PaymentStore;
	/** Writes the request's body into the journal as a sent document. */
	recordDocument: () => SentDocument;
}

/** Lets a request take effect and returns its response. */
export type Endpoint = (context: EndpointContext) => SandboxResponse;
