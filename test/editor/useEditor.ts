// The editor of a real n8n, signed in to, for all tests of a file.
import type { Browser } from 'playwright-core';

import type { RealN8n } from '../n8n/realN8n';
import { openBrowser, openPage } from './browser';
import { Editor } from './editor';

/** Opens it before the tests of this file and closes it after them. Returns what gives it to a test. */
export function useEditor(real: () => RealN8n): () => Editor {
	let browser: Browser | undefined;
	let editor: Editor;
	beforeAll(async () => {
		browser = await openBrowser();
		editor = new Editor(await openPage(browser), real().url);
		await editor.signIn(real().owner);
	});
	afterAll(async () => await browser?.close());
	return () => editor;
}
