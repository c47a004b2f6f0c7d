// What is concluded from the messages of Node's HTTP client; `test/engine/connections` tests when Node sends them.
import { channel } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';

import type * as connectionWatch from '../../../nodes/BusinessData/transport/connectionWatch';
import { loadAgain } from '../../support/loadAgain';

type State = Partial<Record<'pending' | 'secureConnecting', boolean>>;

/** A socket as the messages show it. */
class FakeSocket extends EventEmitter {
	pending = false;
	secureConnecting?: boolean;

	/** Changes to the state, and emits the event. */
	tell(event: string, state: State): void {
		Object.assign(this, state).emit(event);
	}
}

const publish = (name: string, request: object = {}) =>
	channel(`http.client.${name}`).publish({ request });
const start = (socket: FakeSocket | null, method = 'GET') =>
	publish('request.start', { socket, method });

type Step = (socket: FakeSocket) => void;
const startIn =
	(state: State): Step =>
	(socket) =>
		start(Object.assign(socket, state));
const reported =
	(event: string, state: State = {}): Step =>
	(socket) =>
		socket.tell(event, state);
const startPending = startIn({ pending: true });
const connect = reported('connect', { pending: false });
const startSecure = startIn({ pending: true, secureConnecting: true });
const endHandshake = reported('secureConnect', { secureConnecting: false });

test.each<[string, Step[], connectionWatch.Progress]>([
	['nothing', [], 'notBegun'],
	['created', [() => publish('request.created')], 'notConnected'],
	['failed at once', [() => publish('request.error')], 'notConnected'],
	['the response of a proxy', [() => publish('response.finish')], 'notConnected'],
	['started without a socket', [() => start(null)], 'notBegun'],
	["a proxy's own request", [() => start(new FakeSocket(), 'CONNECT')], 'notBegun'],
	['started while connecting', [startPending], 'notConnected'],
	['started, then connected', [startPending, connect], 'connected'],
	['started on a connection', [startIn({})], 'connected'],
	['closed after connected', [startIn({}), reported('connect', { pending: true })], 'connected'],
	['started within a handshake', [startIn({ secureConnecting: true })], 'notConnected'],
	['connected, before the handshake', [startSecure, connect], 'notConnected'],
	['connected, after the handshake', [startSecure, connect, endHandshake], 'connected'],
])('the progress is concluded from: %s', async (_, steps, progress) => {
	// Whether Node sends any messages is one fact for the whole process.
	const { ConnectionWatch } = loadAgain<typeof connectionWatch>('transport/connectionWatch');
	const watch = new ConnectionWatch();
	const other = new ConnectionWatch();
	const socket = new FakeSocket();
	await watch.during(async () => {
		for (const step of steps) await Promise.resolve(step(socket));
	});
	expect(watch.progress).toBe(progress);
	expect(watch.mayHaveLeft).toBe(progress === 'connected');
	expect(other.progress).toBe('notBegun');
	// Without any message before the response, nothing can be known of any request.
	expect(watch.isProxyResponse()).toBe(progress === 'notConnected');
	const isKnown = progress !== 'notBegun';
	expect([watch.progress, other.progress]).toEqual(
		isKnown ? [progress, 'notBegun'] : ['unknown', 'unknown'],
	);
	expect(other.mayHaveLeft).toBe(!isKnown);
});
