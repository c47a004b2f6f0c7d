/** One request and its response, as seen on the network. */

/** The origin of a request within n8n, which the service does not see. */
export interface Caller {
	process: string;
	execution: string;
	/** The number of the node's run in the execution: attempts and calls as a tool count. */
	run: number;
}

export interface Exchange {
	id: number;
	caller: Caller | undefined;
	method: string;
	/** `protocol//host`. */
	origin: string;
	path: string;
	/** `METHOD /path`. */
	endpoint: string;
	query: Record<string, string>;
	headers: Record<string, string>;
	body: string;
	items: string[];
	/** When (ms of world time) n8n began with it. */
	startedAt: number;
	/** When its first byte left; undefined without a connection. */
	leftAt?: number;
	/** When the service counted it. A duplicate is counted too. */
	countedAt?: number;
	/** The status that the service has decided on. */
	status?: number;
	/** When the service acted. */
	actedAt?: number;
	/** When the head of the response had arrived, and when its whole body had. */
	respondedAt?: number;
	bodyAt?: number;
	/** How many bytes of the body n8n has received. */
	bodyBytes?: number;
	/** When n8n aborted it, or its connection was lost. */
	lostAt?: number;
	/** The Retry-After of the response (ms). */
	retryAfterMs?: number;
	fault?: ExchangeFault;
	/** Whether it is a duplicate that a proxy has sent. */
	isDuplicate?: boolean;
}

export interface Reply {
	status: number;
	headers: Record<string, string>;
	body: string;
}

/** The client's end of a connection. */
export interface Line {
	/** Called when the head of the response has arrived. */
	onHead(reply: Reply): void;
	/** Called with each piece of the body, and with undefined at its end. */
	onBody(piece: Buffer | undefined): void;
	/** Called when the connection is lost. */
	onLost(error: ConnectionError): void;
	readonly isOpen: boolean;
}

export interface ConnectionError {
	code: string;
	message: string;
	/** The failed system call, if known. */
	syscall?: string;
}

/** Records the body and the IDs of the items in it. */
export function describe(exchange: Exchange, body: string): void {
	exchange.body = body;
	exchange.items = itemsOf(exchange);
}

function itemsOf({ method, query, body }: Exchange): string[] {
	if (method === 'GET') return query.item === undefined ? [] : [query.item];
	const { id, ids = [id] } = JSON.parse(body) as { id?: string; ids?: string[] };
	return ids.filter((one) => one !== undefined);
}

/** A fault of a request, on the network or at the service. */
export type ExchangeFault =
	/** No connection: refused, an unknown name, or an unreachable host. */
	| { kind: 'refused'; code: 'ECONNREFUSED' | 'ENOTFOUND' | 'EHOSTUNREACH' | 'EAI_AGAIN' }
	/** No connection, and no error. */
	| { kind: 'noConnection' }
	/** The connection is cut before the request arrives, before or after the service acts, or during the response. */
	| { kind: 'cut'; moment: 'beforeArrival' | 'beforeActing' | 'afterActing' | 'duringResponse' }
	/** The request or its response is lost silently. */
	| { kind: 'lost'; what: 'request' | 'response' }
	/** The request or its response is delayed. */
	| { kind: 'late'; what: 'request' | 'response'; ms: number }
	/** The service, or a proxy, responds with this status. */
	| { kind: 'status'; status: number; acts: boolean; headers?: Record<string, string> }
	/** The usual status with another body. */
	| { kind: 'body'; body: string }
	/** The usual status with a large body. */
	| { kind: 'largeBody'; megabytes: number }
	/** A proxy sends the request a second time. */
	| { kind: 'duplicated'; afterMs: number };
