// The address of a next page goes out as the service has written it.

import { NODE, useBench } from '../support/bench';
import { workflowOf } from '../support/engineWorkflow';
import { read } from '../support/parameters';
import { RawService } from '../support/rawService';
import { credentialFor } from '../support/scaledLimits';

const bench = useBench();

test.each(['?after=a+b/c==&page=2', '?q=M%FCller&page=2'])(
	'%s, with what a user has added',
	async (next) => {
		const service = await RawService.start((socket) => {
			socket.on('data', (data: Buffer) => {
				const isFirst = !data.toString('latin1').split('\r\n')[0]?.includes('page=2');
				const body = JSON.stringify({ items: [{ id: isFirst ? 1 : 2 }], ...(isFirst && { next }) });
				socket.write(
					`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
				);
			});
		});
		try {
			const options = {
				pagination: { values: { type: 'nextUrl', nextUrlField: 'next' } },
				queryParameters: { parameters: [{ name: 'status', value: 'in use' }] },
			};
			const credential = credentialFor({ baseUrl: service.baseUrl, apiKey: '0'.repeat(64) });
			const result = await bench.engine.run(workflowOf([{}], read(options)), { key: credential });
			expect(result.json(NODE)).toEqual([{ id: 1 }, { id: 2 }]);
			expect(service.requests.map((line) => line.split(' ')[1])).toEqual([
				'/masterdata/getContacts?status=in%20use',
				`/masterdata/getContacts${next}&status=in%20use`,
			]);
		} finally {
			await service.stop();
		}
	},
);
