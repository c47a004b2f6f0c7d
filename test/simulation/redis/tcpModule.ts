/** Node's `net` and `tls` for a program in a simulated process. */
import * as nodeNet from 'node:net';

import type { SimulatedProcess } from '../process/simulatedProcess';
import { SimulatedSocket } from './tcp';
import { gap } from '../world/gap';

interface Address {
	host?: string;
	port?: number;
}

export function createTcpModule(process: () => SimulatedProcess): Record<'net' | 'tls', unknown> {
	const connect = ({ host = 'localhost', port = 0 }: Address) =>
		new SimulatedSocket(process(), host, Number(port));
	const refused = () => {
		throw gap('TLS');
	};
	return {
		net: { isIP: nodeNet.isIP, connect, createConnection: connect, Socket: SimulatedSocket },
		tls: { connect: refused, TLSSocket: SimulatedSocket },
	};
}
