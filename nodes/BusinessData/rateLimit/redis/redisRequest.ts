/** One request in the ledger: its slots, and its place in the queues. */
import { randomUUID } from 'node:crypto';

import type { RedisConnection, RedisScript } from '../../redis';
import type { LedgerReply, LedgerRequest, LedgerWindow, SharedRequest } from '../ledger';
import type { ProcessRecord } from './processRecord';
import { keyOf } from './redisLedger';
import { ENTER, KEEP_PLACE, LEARN, SETTLE, TAKE } from './scripts';

const PROCESS_ID = randomUUID();
let lastRequest = 0;

/** Who has its turn at once needs no place. */
const FIRST_PLACE_AFTER_MS = 100;
/** How often (ms) a place is renewed. */
const PLACE_RENEWED_MS = 1_000;

/** What a script returns: its kind, how many commands of the process it counted, and more. */
type Reply = [kind: string, commands: number, ...more: Array<string | number>];

export class RedisRequest implements SharedRequest {
	/** Unique over all processes; undefined when Redis knows nothing of the request. */
	private id: string | undefined;

	private placeTimer: NodeJS.Timeout | undefined;

	private readonly windows: LedgerWindow[];

	private readonly key: (kind: string, name: string) => string;

	constructor(
		private readonly connection: RedisConnection,
		private readonly record: ProcessRecord,
		private readonly request: LedgerRequest,
	) {
		this.windows = [...(request.scope?.windows ?? []), ...request.general.windows];
		this.key = keyOf(request.identity);
	}

	standInLine(): void {
		if (this.placeTimer !== undefined) return;
		const renew = () => {
			this.id ??= newId();
			this.send(KEEP_PLACE, PLACE_RENEWED_MS);
			this.placeTimer = setTimeout(renew, PLACE_RENEWED_MS).unref();
		};
		this.placeTimer = setTimeout(renew, FIRST_PLACE_AFTER_MS).unref();
	}

	async take(signal: AbortSignal): Promise<LedgerReply> {
		if (this.windows.length === 0) return { isTaken: true, used: [] };
		for (;;) {
			this.id ??= newId();
			const [kind, commands, ...more] = await this.run(TAKE, this.request.inFlightMs, signal);
			if (kind === 'lost') {
				this.record.beginAnew(commands);
				await this.enterAgain(signal);
			} else if (kind === 'news') {
				this.adopt(more);
			} else if (kind === 'full') {
				return this.full(more as number[]);
			} else {
				this.leaveLine();
				this.keep(this.request.inFlightMs);
				return { isTaken: true, used: more as number[] };
			}
		}
	}

	tell(): void {
		const { scope, general } = this.request;
		this.send(LEARN, 0, [scope?.foreign.state ?? '', general.foreign.state]);
	}

	hold(lateMs: number): void {
		this.keep(lateMs);
		this.send(SETTLE, lateMs);
	}

	free(): void {
		this.leaveLine();
		if (this.id === undefined) return;
		this.record.free(this.id);
		this.send(SETTLE, -1);
		// Repeated after a lost connection, it may come late: what is taken from now on gets another ID, so
		// that it is not freed by it.
		this.id = undefined;
	}

	private full([waitMs = 0, retryMs = 0, fullest = 0]: number[]): LedgerReply {
		const window = this.windows[fullest - 1];
		const isOfScope = window !== undefined && fullest <= (this.request.scope?.windows.length ?? 0);
		return { isTaken: false, window, isOfScope, waitMs, retryMs };
	}

	/** Remembers the slots, so that they can be entered again. */
	private keep(lateMs: number): void {
		if (this.id === undefined) return;
		const now = performance.now();
		const windows = this.windows.map(({ name, holdMs }) => ({
			key: this.key('window', name),
			freeAt: now + holdMs + lateMs,
		}));
		this.record.hold(this.id, windows);
	}

	/** Enters all slots again that this process holds. */
	private async enterAgain(signal: AbortSignal): Promise<void> {
		const [state, queue] = this.keys();
		const fixed = [state, queue, queue, queue].map((key) => key ?? '');
		const enter = this.record.slots().map(async ([id, windows]) => {
			const keys = [...fixed, ...windows.map(({ key }) => key)];
			const left = windows.map(({ freeAt }) => Math.ceil(freeAt - performance.now()));
			const parameters = [id, this.record.id, 0, 0, 0, 0, 0, 0, ...left.flatMap((ms) => [0, ms])];
			const [, commands] = await this.connection.run<Reply>(ENTER, keys, parameters, signal);
			this.record.counted(commands);
		});
		await Promise.all(enter);
	}

	private adopt([version, ofScope, scopeAgeMs, ofAll, ageMs]: Array<string | number>): void {
		const { scope, general } = this.request;
		if (ofScope !== '') scope?.foreign.adopt(String(ofScope), Number(scopeAgeMs));
		if (ofAll !== '') general.foreign.adopt(String(ofAll), Number(ageMs));
		this.record.version = String(version);
	}

	private leaveLine(): void {
		clearTimeout(this.placeTimer);
		this.placeTimer = undefined;
	}

	/** Sends a command that nothing waits for. What it would settle settles itself, after the time-out. */
	private send(script: RedisScript, number: number, more: string[] = []): void {
		if (this.id === undefined) return;
		this.run(script, number, undefined, more).catch(() => undefined);
	}

	private async run(
		script: RedisScript,
		number: number,
		signal?: AbortSignal,
		more: string[] = [],
	): Promise<Reply> {
		const parameters = [...this.parameters(Math.ceil(number)), ...more];
		const reply = await this.connection.run<Reply>(script, this.keys(), parameters, signal);
		const [kind, commands, version] = reply;
		if (kind !== 'lost') this.record.counted(commands);
		if (kind === 'learned') this.record.version = String(version);
		return reply;
	}

	private keys(): string[] {
		const { scope, general } = this.request;
		return [
			this.key('state', ''),
			this.key('queue', general.name),
			this.key('queue', scope?.name ?? general.name),
			this.key('promises', scope?.name ?? general.name),
			...this.windows.map(({ name }) => this.key('window', name)),
		];
	}

	private parameters(number: number): Array<string | number> {
		const { scope, general } = this.request;
		return [
			this.id ?? '',
			this.record.id,
			this.record.known,
			this.record.version,
			number,
			scope?.windows.length ?? 0,
			Math.ceil(scope?.foreign.everyMs(scope.windows) ?? 0),
			Math.ceil(general.foreign.everyMs(general.windows)),
			...this.windows.flatMap(({ room, holdMs }) => [room, Math.ceil(holdMs)]),
		];
	}
}

function newId(): string {
	return `${PROCESS_ID}:${++lastRequest}`;
}
