// Another client of the same API key, independent of n8n: sends reads with plain axios at a fixed interval, whatever
// the responses, until its parent ends it.
import axios from 'axios';
import { OTHER_CLIENT_USER_AGENT, type OtherClientWork } from './otherClientWork';

process.once('message', ({ url, apiKey, everySeconds }: OtherClientWork) => {
	const client = axios.create({
		headers: { 'x-api-key': apiKey, 'user-agent': OTHER_CLIENT_USER_AGENT },
		proxy: false,
		timeout: 30_000,
		validateStatus: () => true,
	});
	// The service may be stopping already.
	const send = (): void => void client.get(url).catch(() => undefined);
	send();
	setInterval(send, everySeconds * 1000);
});
process.on('disconnect', () => process.exit());
