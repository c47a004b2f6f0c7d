// A program of somebody else that uses the same key and knows nothing of n8n: sends a read every so often
// through plain axios, whatever the response, until its parent ends it.
import axios from 'axios';
import { OTHER_CLIENT_USER_AGENT, type OtherClientWork } from './otherClientWork';

process.once('message', ({ url, apiKey, everySeconds }: OtherClientWork) => {
	const client = axios.create({
		headers: { 'x-api-key': apiKey, 'user-agent': OTHER_CLIENT_USER_AGENT },
		proxy: false,
		timeout: 30_000,
		validateStatus: () => true,
	});
	// A service that is being stopped is not this program's concern.
	const send = (): void => void client.get(url).catch(() => undefined);
	send();
	setInterval(send, everySeconds * 1000);
});
process.on('disconnect', () => process.exit());
