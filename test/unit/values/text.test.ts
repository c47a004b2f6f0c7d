import { formatDuration } from '../../../nodes/BusinessData/values/text';

test.each([
	[40, '0 s'],
	[250, '0.3 s'],
	[1_000, '1 s'],
	[1_540, '1.5 s'],
	[9_960, '10 s'],
	[119_400, '119 s'],
	[120_000, '2 min'],
	[7_140_000, '119 min'],
	[7_200_000, '2 h'],
	[7_500_000, '2 h 5 min'],
])('a duration of %i ms is %s', (ms, text) => {
	expect(formatDuration(ms)).toBe(text);
});
