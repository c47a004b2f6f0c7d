// The actions of a user in n8n's editor.
import type { Locator, Page } from 'playwright-core';

import { takeScreenshots } from './browser';

const CREDENTIAL_TEST = /\/rest\/credentials\/test$/;

/** A field as the editor shows it. */
export interface ShownField {
	label: string;
	/** Whether the label does not fit. */
	isCutOff: boolean;
}

/** The members of a DOM element that the checks use, because Node has no DOM types. */
interface BrowserElement {
	innerText: string;
	scrollWidth: number;
	clientWidth: number;
	scrollHeight: number;
	clientHeight: number;
	querySelectorAll(selector: string): Iterable<BrowserElement>;
}

/** The first line of each element, and whether any part of the element is cut off. */
async function readFirstLines(elements: Locator): Promise<ShownField[]> {
	return await elements.evaluateAll((found) =>
		(found as BrowserElement[]).map((element) => ({
			label: element.innerText.split('\n')[0]?.trim() ?? '',
			isCutOff: [element, ...element.querySelectorAll('*')].some(
				(part) =>
					(part.clientWidth > 0 && part.scrollWidth > part.clientWidth + 1) ||
					(part.clientHeight > 0 && part.scrollHeight > part.clientHeight + 2),
			),
		})),
	);
}

/** The labels within an element, without duplicates and empty ones. */
async function readLabels(within: Locator): Promise<ShownField[]> {
	const labels = within.locator('label:visible');
	await labels.first().waitFor();
	const shown = await readFirstLines(labels);
	return shown.filter(({ label }, index) => label !== '' && label !== shown[index - 1]?.label);
}

/** The editor in a browser page. Every method waits until the page shows its result. */
export class Editor {
	constructor(
		readonly page: Page,
		private readonly url: string,
	) {
		page.setDefaultTimeout(180_000);
	}

	/** The element with n8n's own test ID. */
	marked(mark: string, within: Page | Locator = this.page): Locator {
		return within.locator(`[data-test-id="${mark}"]`);
	}

	get nodesPanel(): Locator {
		return this.marked('node-creator');
	}

	get parameters(): Locator {
		return this.marked('node-parameters');
	}

	get output(): Locator {
		return this.marked('output-panel');
	}

	get credential(): Locator {
		return this.marked('editCredential-modal').first();
	}

	async signIn({ email, password }: { email: string; password: string }): Promise<void> {
		await this.page.goto(`${this.url}/signin`);
		await this.page.locator('input[name="emailOrLdapLoginId"]').fill(email);
		await this.page.locator('input[type="password"]').fill(password);
		await this.marked('form-submit-button').click();
		await this.page.waitForURL(({ pathname }) => pathname !== '/signin');
	}

	async openNewWorkflow(): Promise<void> {
		await this.page.goto(`${this.url}/workflow/new`);
		await this.marked('node-creator-plus-button').waitFor();
	}

	async openWorkflow(id: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${id}`);
		await this.marked('canvas-node').first().waitFor();
	}

	/** Opens the nodes panel and searches. Returns the names and descriptions of what is found. */
	async search(text: string): Promise<{ name: string; description: string }[]> {
		if (!(await this.nodesPanel.isVisible())) await this.marked('node-creator-plus-button').click();
		await this.marked('node-creator-search-bar').fill(text);
		// The list is filtered with a delay.
		await this.page.waitForTimeout(500);
		const found = this.nodesPanel.locator('[data-test-id="item-iterator-item"]');
		const read = async (entry: Locator, mark: string): Promise<string> =>
			(await this.marked(mark, entry).allInnerTexts()).join(' ').trim();
		return await Promise.all(
			(await found.all()).map(async (entry) => ({
				name: await read(entry, 'node-creator-item-name'),
				description: await read(entry, 'node-creator-item-description'),
			})),
		);
	}

	/** Adds a node from the nodes panel, by an action if it has several, and closes it again if it opens. */
	async addNode(name: string, action?: string): Promise<void> {
		await this.addAndOpenNode(name, action);
		if (await this.parameters.isVisible()) await this.closeNode();
	}

	/** Adds a node from the nodes panel, by an action if it has several. Most nodes open then. */
	async addAndOpenNode(name: string, action?: string): Promise<void> {
		await this.search(name);
		await this.nodesPanel.getByText(name, { exact: true }).first().click();
		if (action !== undefined) {
			await this.nodesPanel.getByText(action, { exact: true }).click();
			await this.parameters.waitFor();
		}
		await this.nodesPanel.waitFor({ state: 'hidden' });
		await this.page.waitForTimeout(500);
	}

	/** Opens a node on the canvas. */
	async openNode(name: string): Promise<void> {
		await this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`).dblclick();
		await this.parameters.waitFor();
	}

	async closeNode(): Promise<void> {
		await this.marked('ndv-close-button').click();
		await this.parameters.waitFor({ state: 'hidden' });
	}

	/** The list that was opened last. */
	get #list(): Locator {
		return this.page.locator('.el-select-dropdown:visible, [role="listbox"]:visible').last();
	}

	/** Opens the list of a field, and leaves it open. Returns its entries, and which of them are cut off. */
	async openList(field: string): Promise<ShownField[]> {
		await this.marked(`parameter-input-${field}`).click();
		await this.#list.waitFor();
		await this.page.waitForTimeout(300);
		return await readFirstLines(this.#list.locator('li, [role="option"]'));
	}

	/** Chooses an entry of a field's list, by its label. */
	async choose(field: string, label: string): Promise<void> {
		await this.openList(field);
		await this.#list.getByText(label, { exact: true }).first().click();
		await this.#list.waitFor({ state: 'hidden' });
	}

	/** Adds a field to send, as in n8n's Edit Fields node. The type is the label in n8n's list. */
	async addTypedField(name: string, type: string, value: string): Promise<void> {
		await this.marked('assignment-collection-drop-area').click();
		const field = this.marked('assignment', this.parameters).last();
		await this.marked('assignment-name', field).locator('input').fill(name);
		await this.#leaveField();
		const isExpression = value.startsWith('=');
		await this.marked('assignment-value', field)
			.locator('input')
			.pressSequentially(value.slice(0, 1));
		// On a leading "=", n8n replaces the input with its expression editor.
		if (isExpression) await this.marked('assignment-value', field).locator('.cm-content').click();
		await this.page.keyboard.insertText(value.slice(1));
		await this.#leaveField();
		await this.marked('assignment-type-select', field).click();
		await this.page.getByRole('menuitem', { name: type, exact: true }).click();
	}

	/** Clicks elsewhere, which also closes what n8n shows over other fields during editing. */
	async #leaveField(): Promise<void> {
		await this.output.click({ position: { x: 20, y: 20 } });
		await this.page.waitForTimeout(300);
	}

	/** Types a text into a field of the open node. */
	async fillIn(field: string, value: string): Promise<void> {
		await this.marked(`parameter-input-${field}`, this.parameters).locator('input').fill(value);
		// The editor takes over the text with a delay.
		await this.page.waitForTimeout(500);
	}

	/** The fields of the open node, in their order on the screen. */
	async shownFields(): Promise<ShownField[]> {
		return await readLabels(this.parameters);
	}

	/** Opens a new credential for the open node. */
	async openNewCredential(): Promise<void> {
		await this.marked('node-credentials-select').click();
		await this.marked('node-credentials-select-item-new').click();
		await this.credential.waitFor();
	}

	/** Opens the open node's credential, which tests it again. */
	async openCredential(): Promise<void> {
		const tested = this.page.waitForResponse(CREDENTIAL_TEST);
		await this.marked('credential-edit-button').click();
		await tested;
	}

	/** The fields of the open credential, in their order on the screen. */
	async shownCredentialFields(): Promise<ShownField[]> {
		return await readLabels(this.credential);
	}

	async fillInCredential(field: string, value: string): Promise<void> {
		await this.marked(`parameter-input-${field}`, this.credential).locator('input').fill(value);
	}

	/** Saves the open credential, which tests it. Returns the text of the dialog with the result. */
	async saveCredential(): Promise<string> {
		const tested = this.page.waitForResponse(CREDENTIAL_TEST);
		await this.marked('credential-save-button', this.credential).click();
		await tested;
		await this.credential.getByText('Testing', { exact: true }).waitFor({ state: 'hidden' });
		const results = this.credential.getByText(/Couldn’t connect|Connection tested successfully/);
		await results.filter({ visible: true }).waitFor();
		const details = this.credential.getByText('More details');
		if (await details.isVisible()) await details.click();
		return await this.credential.innerText();
	}

	async closeCredential(): Promise<void> {
		await this.credential.locator('.el-dialog__close').first().click();
		await this.credential.waitFor({ state: 'hidden' });
	}

	/** Runs the open node and waits until its output shows a text. Returns the whole text of the output. */
	async runNode(expected: string | RegExp): Promise<string> {
		await this.marked('node-execute-button').click();
		await this.output.getByText(expected).first().waitFor();
		return await this.output.innerText();
	}

	async takeScreenshots(name: string): Promise<void> {
		await takeScreenshots(this.page, name);
	}
}
