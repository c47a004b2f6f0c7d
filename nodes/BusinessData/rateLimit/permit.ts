/** The right to send one request, and the four ways in which the request may end. */
import type { OtherClients, UsedWindow } from './otherClients';
import type { RedisRequest } from './redis/redisRequest';
import type { Stages } from './scope';
import type { WaitTime, WaitCause } from './waitTime';
import type { Slot } from './window';

/** One of the four endings must be called; of several, the first one counts. */
export class Permit {
	/** How long (ms) the request has waited. */
	readonly waitedMs: number;

	/** What it waited for most. */
	readonly waitedFor: WaitCause | undefined;

	private sentAt = performance.now();

	/** The windows when the request went out, windows of the scope first. */
	private readonly windows: Array<UsedWindow & { otherClients: OtherClients }>;

	private hasEnded = false;

	private end: () => void = () => undefined;

	/**
	 * @param shared the request in Redis
	 * @param used how many slots all processes hold in each window, in the order of the stages
	 */
	constructor(
		private readonly slots: Slot[],
		private readonly shared: RedisRequest | undefined,
		private readonly stages: Stages,
		used: number[],
		waitTime: WaitTime,
	) {
		this.waitedMs = waitTime.totalMs;
		this.waitedFor = waitTime.longestCause;
		this.windows = stages.windows.map(({ max, windowMs, window, otherClients }, index) => {
			return { max, windowMs, otherClients, used: Math.max(window.used, used[index] ?? 0) };
		});
		const ended = new Promise<void>((resolve) => (this.end = resolve));
		for (const { otherClients } of stages.all) otherClients.sent(ended);
	}

	/** Settles when every slot has its place, or with an error of Bottleneck's own. */
	get placed(): Promise<unknown> {
		return Promise.all(this.slots.map(({ placed }) => placed));
	}

	/**
	 * Whether the slots are still held for a request that goes out now. If not, call `unused`.
	 * @throws RedisError, or the signal's reason
	 */
	async confirm(signal: AbortSignal): Promise<boolean> {
		const isHeld = (await this.shared?.confirm(signal)) ?? true;
		this.sentAt = performance.now();
		return isHeld;
	}

	/** The service counted the request and let it through. */
	letThrough(): void {
		for (const { otherClients } of this.stages.all) otherClients.letThrough(this.sentAt);
		this.hold(0);
	}

	/**
	 * The service refused the request.
	 * @param requestedMs how long (ms) it asks to wait; 0 when it does not say
	 */
	refused(requestedMs: number): void {
		const blamed = this.blamed();
		blamed.learn(this.windowsOf(blamed), this.sentAt);
		for (const { otherClients } of this.stages.all) otherClients.refused();
		this.pause(requestedMs, true);
		this.hold(0);
	}

	/**
	 * Pauses all requests under the same limits for `requestedMs` (ms), as the service asks. After a refusal, a pause
	 * no longer than the request's own window concerns that window; any other concerns every request of the key.
	 */
	pause(requestedMs: number, isRefusal = false): void {
		const { all, own } = this.stages;
		const isExplained = isRefusal && requestedMs <= (own.windows[0]?.holdMs ?? 0);
		for (const stage of all) {
			stage.otherClients.pause(stage.windows, requestedMs, stage === own || !isExplained);
		}
		this.shared?.publish();
	}

	/** No response was seen: the service may count the request up to `lateMs` (ms) from now. */
	lost(lateMs: number): void {
		this.hold(lateMs);
	}

	/** The request never reached the service. */
	unused(): void {
		if (this.hasEnded) return;
		this.hasEnded = true;
		for (const slot of this.slots) slot.free();
		this.shared?.free();
		this.end();
	}

	/**
	 * The service says how much is left, for all programs, of a limit that counts this request.
	 * @param max how much that limit allows, where the service says so
	 * @param resetMs when (ms from now) it is full again
	 */
	applyHeaderLimit({
		remaining,
		resetMs,
		max,
	}: {
		remaining: number;
		resetMs: number;
		max?: number;
	}): void {
		const { all, own } = this.stages;
		const meant = all.find((stage) => stage.windows.some((window) => window.max === max));
		const { otherClients, windows } = meant ?? own;
		const underWay = Math.max(0, ...windows.map(({ window }) => window.underWay));
		// The service may not have counted requests under way.
		otherClients.applyHeaderLimit(windows, remaining - underWay, resetMs, this);
	}

	/** When (ms, `performance.now()`) a request with the same limits was let through last. */
	get lastLetThroughAt(): number {
		return this.stages.own.otherClients.lastLetThroughAt;
	}

	/** The service does not say whether windows of the scope or general ones were full. */
	private blamed(): OtherClients {
		const [own, general] = [this.stages.own.otherClients, this.stages.general.otherClients];
		const isGeneralBusy = this.windowsOf(general).some(({ used, max }) => 2 * used > max);
		return (isGeneralBusy || general.isKnown) && !own.isRefusing ? general : own;
	}

	private windowsOf(one: OtherClients): UsedWindow[] {
		return this.windows.filter(({ otherClients }) => otherClients === one);
	}

	private hold(lateMs: number): void {
		if (this.hasEnded) return;
		this.hasEnded = true;
		for (const slot of this.slots) slot.hold(lateMs);
		this.shared?.hold(lateMs);
		this.end();
	}
}
