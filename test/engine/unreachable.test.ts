// A service that cannot be reached: nothing was sent, so that even a send is retried, and the error
// says that nothing reached the service.

import { Socket } from 'node:net';

import { type Sandbox, startSandbox } from '../../sandbox/server';
import { freePort } from '../../scripts/host/freePort';
import { errorOf, itemsOf, pinRandom, useBench } from '../support/bench';
import { send } from '../support/parameters';
import { waitUntil } from '../support/waitUntil';

const bench = useBench();

test('a send goes out once as soon as the service is up', async () => {
	let latecomer: Sandbox | undefined;
	try {
		const port = await freePort();
		bench.credential.baseUrl = `http://127.0.0.1:${port}`;
		pinRandom(0.5);
		const connect = jest.spyOn(Socket.prototype, 'connect');
		const running = bench.run(itemsOf(1), send());
		await waitUntil(() => connect.mock.calls.length > 0);
		latecomer = await startSandbox({ port });
		expect((await running).run.status).toBe('success');
		expect(connect.mock.calls.length).toBeGreaterThan(1);
		expect(latecomer.journal.count()).toBe(1);
		expect(latecomer.journal.documents()).toHaveLength(1);
	} finally {
		await latecomer?.stop();
	}
});

test('what was not sent takes no slot: the next request goes out at once', async () => {
	const { port } = new URL(bench.sandbox.baseUrl);
	await bench.sandbox.stop();
	for (let run = 0; run < 3; run++) {
		const error = errorOf(await bench.run(itemsOf(1), send({ maxWait: 30 })));
		expect(error.message).toBe('The request was not sent: the connection was refused');
	}
	bench.sandbox = await startSandbox({ port: Number(port) });
	const result = await bench.run(itemsOf(3), send({ maxWait: 30 }));
	expect(result.run.status).toBe('success');
	expect(bench.documents()).toHaveLength(3);
});
