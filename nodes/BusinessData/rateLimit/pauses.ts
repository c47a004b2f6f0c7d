/** Pauses after refusals: of a whole key and of its scopes, and how many refusals came in a row. */
import { sleep } from '../waiting';

class Pause {
	private until = 0;

	private refusals = 0;

	lastLetThroughAt = -Infinity;

	get leftMs(): number {
		return Math.max(0, this.until - performance.now());
	}

	extend(ms: number): void {
		this.until = Math.max(this.until, performance.now() + ms);
	}

	/** Counts a refusal; those of requests that were under way together count as one. */
	refused(sentAt: number): number {
		if (sentAt >= this.until || this.refusals === 0) this.refusals++;
		return this.refusals - 1;
	}

	letThrough(sentAt: number): void {
		this.lastLetThroughAt = performance.now();
		if (sentAt >= this.until) this.refusals = 0;
	}
}

export class Pauses {
	private readonly ofKey = new Pause();

	private readonly ofScopes = new Map<string, Pause>();

	/** Lets no request of the scope out for `ms`, and none of the key for `keyMs`. */
	extend(scope: string | undefined, ms: number, keyMs: number): void {
		this.ofKey.extend(keyMs);
		if (scope !== undefined) this.ofScope(scope).extend(ms);
	}

	/** How long (ms) the pause that concerns a request of the scope still lasts; 0 without one. */
	leftMs(scope: string | undefined): number {
		return Math.max(...this.of(scope).map(({ leftMs }) => leftMs));
	}

	/** Whether no pause is left at all. */
	areOver(): boolean {
		return [this.ofKey, ...this.ofScopes.values()].every(({ leftMs }) => leftMs === 0);
	}

	/** Resolves when no pause is left. @throws the signal's reason as soon as it aborts */
	async passed(scope: string | undefined, signal: AbortSignal): Promise<void> {
		for (let ms = this.leftMs(scope); ms > 0; ms = this.leftMs(scope)) {
			await sleep(Math.min(Math.ceil(ms), 2 ** 31 - 1), signal);
		}
	}

	/** A request that went out at `sentAt` was refused. Returns how many refusals in a row came before. */
	refused(scope: string | undefined, sentAt: number): number {
		return Math.max(...this.of(scope).map((pause) => pause.refused(sentAt)));
	}

	/** When (ms, `performance.now()`) a request of the scope, or of the key, was let through last. */
	lastLetThroughAt(scope: string | undefined): number {
		return (scope === undefined ? this.ofKey : this.ofScope(scope)).lastLetThroughAt;
	}

	/** A request that went out at `sentAt` (ms, `performance.now()`) was let through. */
	letThrough(scope: string | undefined, sentAt: number): void {
		for (const pause of this.of(scope)) pause.letThrough(sentAt);
	}

	private of(scope: string | undefined): Pause[] {
		return scope === undefined ? [this.ofKey] : [this.ofKey, this.ofScope(scope)];
	}

	private ofScope(scope: string): Pause {
		let pause = this.ofScopes.get(scope);
		if (pause === undefined) this.ofScopes.set(scope, (pause = new Pause()));
		return pause;
	}
}
