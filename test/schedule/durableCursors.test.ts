// The same with durable cursors: n8n itself saves what the trigger remembers, after each poll.
// Build the package before.
import { useRealN8n } from '../n8n/useRealN8n';
import { scheduleTests } from './scheduleTests';

const environment = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
};
/** A list has three pages or more, and the empty one behind them. */
const PAGE_DELAY_MS = 12_000;

const name = 'n8n 2.41.1 with its durable scheduler and cursors';
scheduleTests(useRealN8n('n8n-2', environment), name, PAGE_DELAY_MS);
