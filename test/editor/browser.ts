// Debian's or the user's Chromium, driven by Playwright, and the screenshots that a run leaves.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { type Browser, chromium, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const FOLDER = join(__dirname, '..', '..', 'screenshots');
const VIEWPORT = { width: 1400, height: 900 };
/** How long the editor takes to change its colours. */
const MILLISECONDS_FOR_A_THEME = 400;

function findChromium(): string {
	if (process.env.CHROMIUM_PATH !== undefined) return process.env.CHROMIUM_PATH;
	const { stdout } = spawnSync('which', NAMES, { encoding: 'utf8' });
	const [found = ''] = stdout.split('\n');
	if (found !== '') return found;
	throw new Error(
		`The editor tests need Chromium: none of ${NAMES.join(', ')} is on the path. Install it, or set CHROMIUM_PATH.`,
	);
}

/** Starts Chromium without a window. Throws where there is none. */
export async function openBrowser(): Promise<Browser> {
	return await chromium.launch({
		executablePath: findChromium(),
		args: [
			// Containers and CI machines lack what Chromium's sandbox needs; only the local n8n is visited.
			'--no-sandbox',
			'--disable-gpu',
			'--disable-quic',
			'--no-first-run',
			'--disable-background-networking',
			'--disable-component-update',
			'--disable-sync',
		],
	});
}

/** A new window of the browser. */
export async function openPage(browser: Browser): Promise<Page> {
	const context = await browser.newContext({ viewport: VIEWPORT, colorScheme: 'light' });
	return await context.newPage();
}

/** Leaves a picture of the page in the light and in the dark theme, in the folder `screenshots`. */
export async function takeScreenshots(page: Page, name: string): Promise<void> {
	mkdirSync(FOLDER, { recursive: true });
	for (const colorScheme of ['dark', 'light'] as const) {
		await page.emulateMedia({ colorScheme });
		await page.waitForTimeout(MILLISECONDS_FOR_A_THEME);
		await page.screenshot({ path: join(FOLDER, `${name}-${colorScheme}.png`) });
	}
}
