// The minute schedule of the oldest n8n that is supported. Build the package before.
import { useRealN8n } from '../n8n/useRealN8n';
import { scheduleTests } from './scheduleTests';

scheduleTests(useRealN8n('n8n-1'), 'n8n 1.123.81');
