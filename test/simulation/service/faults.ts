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
