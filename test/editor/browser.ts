// The installed Chromium, driven by Playwright, and its screenshots.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { type Browser, chromium, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const FOLDER = join(__dirname, '..', '..', 'screenshots');
const VIEWPORT = { width: 1400, height: 900 };
/** How long the editor takes to change its theme. */
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

/** Starts a headless Chromium. Throws if there is none. */
export async function openBrowser(): Promise<Browser> {
	return await chromium.launch({
		executablePath: findChromium(),
		args: [
			// Containers and CI machines lack what Chromium's sandbox needs. The tests visit only the local n8n.
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

/** Saves screenshots of the page in the light and the dark theme to the folder `screenshots`. */
export async function takeScreenshots(page: Page, name: string): Promise<void> {
	mkdirSync(FOLDER, { recursive: true });
	for (const colorScheme of ['dark', 'light'] as const) {
		await page.emulateMedia({ colorScheme });
		await page.waitForTimeout(MILLISECONDS_FOR_A_THEME);
		await page.screenshot({ path: join(FOLDER, `${name}-${colorScheme}.png`) });
	}
}
