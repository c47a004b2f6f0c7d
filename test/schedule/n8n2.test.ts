// The minute schedule of n8n 2.x. Build the package before.
import { useRealN8n } from '../n8n/useRealN8n';
import { scheduleTests } from './scheduleTests';

scheduleTests(useRealN8n('n8n-2'), 'n8n 2.41.1');
