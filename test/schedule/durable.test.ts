// n8n 2.x with its durable scheduler, which abandons a poll after 45 s and reads the static data from its
// database for each: reads take longer than that, so they go on over several polls. Build the package before.
import { useRealN8n } from '../n8n/useRealN8n';
import { scheduleTests } from './scheduleTests';

const environment = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
};
/** A list has three pages or more, and the empty one behind them. */
const PAGE_DELAY_MS = 12_000;

const name = 'n8n 2.41.1 with its durable scheduler';
scheduleTests(useRealN8n('n8n-2', environment), name, PAGE_DELAY_MS);
