/** One request on its way, as a listener on the wire sees it. */

/** Who has asked n8n's helper for the request: known here, but not to the service. */
export interface Caller {
	process: string;
	execution: string;
	/** Counts the runs of the node in the execution: attempts, and calls as a tool. */
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
	/** When (ms of the world's time) n8n began with it. */
	startedAt: number;
	/** When its first byte left; undefined when no connection was made. */
	leftAt?: number;
	/** When the service counted it; a doubled one is counted twice. */
	countedAt?: number;
	/** When the service decided on a response, and which. */
	status?: number;
	/** When the service acted. */
	actedAt?: number;
	/** When the head of the response was there, and its body to the end. */
	respondedAt?: number;
	bodyAt?: number;
	/** How many bytes of the body n8n took. */
	bodyBytes?: number;
	/** When n8n gave it up, or its connection was lost. */
	lostAt?: number;
	/** When (ms) the service asked for a pause, and how long (ms). */
	retryAfterMs?: number;
	fault?: ExchangeFault;
	/** Whether a proxy has sent it a second time; the node has sent it once. */
	isDouble?: boolean;
}

export interface Reply {
	status: number;
	headers: Record<string, string>;
	body: string;
}

/** What a connection does, as far as its client can tell. */
export interface Line {
	/** Called when the head of the response is there. */
	onHead(reply: Reply): void;
	/** Called with a piece of the body; without one at its end. */
	onBody(piece: Buffer | undefined): void;
	/** The connection was lost. */
	onLost(error: ConnectionError): void;
	readonly isOpen: boolean;
}

export interface ConnectionError {
	code: string;
	message: string;
	/** Where the failing system call is known. */
	syscall?: string;
}

/** Writes down the body and what the request is about: the simulated items all have an ID. */
export function describe(exchange: Exchange, body: string): void {
	exchange.body = body;
	exchange.items = itemsOf(exchange);
}

function itemsOf({ method, query, body }: Exchange): string[] {
	if (method === 'GET') return query.item === undefined ? [] : [query.item];
	const { id, ids = [id] } = JSON.parse(body) as { id?: string; ids?: string[] };
	return ids.filter((one) => one !== undefined);
}

/** What goes wrong with a request on its way, or at the service. */
export type ExchangeFault =
	/** No connection: refused, a name that is not known, a host that cannot be reached. */
	| { kind: 'refused'; code: 'ECONNREFUSED' | 'ENOTFOUND' | 'EHOSTUNREACH' | 'EAI_AGAIN' }
	/** No connection, and nobody says so. */
	| { kind: 'noConnection' }
	/** The connection is cut before the request is there, before the service acts, or after it. */
	| { kind: 'cut'; moment: 'beforeArrival' | 'beforeActing' | 'afterActing' | 'inAnswer' }
	/** The request, or its response, is lost, and nobody says so. */
	| { kind: 'lost'; what: 'request' | 'answer' }
	/** It takes so long (ms) more. */
	| { kind: 'late'; what: 'request' | 'answer'; ms: number }
	/** The service, or something in front of it, responds so. */
	| { kind: 'status'; status: number; acts: boolean; headers?: Record<string, string> }
	/** The right status with another body. */
	| { kind: 'body'; body: string }
	/** The right status with a body of so many MB. */
	| { kind: 'largeBody'; megabytes: number }
	/** A proxy sends it a second time after so long (ms). */
	| { kind: 'doubled'; afterMs: number };
