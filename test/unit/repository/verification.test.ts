// docs/verification.md names every rule of n8n's that is off and where it would complain, no more and no less than
// there are; a comment that exempts a line says why.

import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';

import { codeIn, PROJECT_FOLDER, readProjectFile, rowsOf } from './projectFiles';

interface Scan {
	complaints: Record<string, string[]>;
	files: string[];
}
interface RulesReport {
	off: string[];
	sources: Scan;
	built: Scan;
}

const [rulesOff = []] = rowsOf(readProjectFile('docs/verification.md'), 'Rule');
const ruleOf = ([rule]: string[]): string => codeIn(rule)[0] ?? '';

let report: RulesReport;
beforeAll(() => {
	const output = execFileSync(process.execPath, [`${__dirname}/n8nRules.mjs`], {
		cwd: PROJECT_FOLDER,
		encoding: 'utf8',
		// n8n's rules take file names for those of their own tests when jest's NODE_ENV is set.
		env: { ...process.env, NODE_ENV: undefined },
		timeout: 60_000,
	});
	report = JSON.parse(output) as RulesReport;
}, 60_000);

/** A place as the page writes it: a folder of nodes/BusinessData, or the name of a file. */
function placeOf(file: string): string {
	const [, folder] = /^nodes\/BusinessData\/(\w+\/)/.exec(file) ?? [];
	return folder ?? basename(file);
}

const distinct = (values: string[]): string[] => [...new Set(values)].sort();

test('names exactly the rules that are off', () => {
	expect(rulesOff.map(ruleOf).sort()).toEqual([...report.off].sort());
});

test('says of each where it would complain, so that none is off without need', () => {
	for (const row of rulesOff) {
		const [, where, reason] = row;
		expect({ rule: ruleOf(row), places: codeIn(where).sort() }).toEqual({
			rule: ruleOf(row),
			places: distinct((report.sources.complaints[ruleOf(row)] ?? []).map(placeOf)),
		});
		expect(reason).toMatch(/\w+/);
	}
});

/** The rules that comments exempt a line from, and the reason of each comment. */
const exemptions = (): Array<{ file: string; rules: string[]; reason?: string }> =>
	report.sources.files.flatMap((file) =>
		[...readProjectFile(file).matchAll(/eslint-disable\S*\s+(.*)/g)].map(([, text = '']) => {
			const [rules = '', reason] = text.split(/\s--\s/);
			return { file, rules: rules.split(',').map((rule) => rule.trim()), reason };
		}),
	);

test('every comment that exempts a line says why', () => {
	expect(exemptions().filter(({ reason = '' }) => !/\w/.test(reason))).toEqual([]);
});

test("nothing else is found by the rules of n8n's scanner, in the sources and in what is published", () => {
	const known = [...rulesOff.map(ruleOf), ...exemptions().flatMap(({ rules }) => rules)];
	expect(report.sources.files.length).toBeGreaterThan(50);
	expect(report.built.files.length).toBeGreaterThan(50);
	const found = [report.sources, report.built].flatMap(({ complaints }) => Object.keys(complaints));
	expect(distinct(found).filter((rule) => !known.includes(rule))).toEqual([]);
});
