/** The data of a simulated Redis, and its commands. Commands that the package does not use throw an error. */
import { RedisFailure, type RedisReply } from './reply';
import { unsupported } from '../world/unsupported';

interface Scored {
	member: string;
	score: number;
}

/** A bound of a score range, inclusive or exclusive. */
interface Bound {
	value: number;
	isOpen: boolean;
}

/** Members in the order of their scores, and of their bytes for equal scores. */
class SortedSet {
	private readonly scores = new Map<string, number>();
	private ordered: Scored[] | undefined = [];

	get size(): number {
		return this.scores.size;
	}

	score(member: string): number | undefined {
		return this.scores.get(member);
	}

	add(member: string, score: number): boolean {
		const isNew = !this.scores.has(member);
		this.scores.set(member, score);
		this.ordered = undefined;
		return isNew;
	}

	remove(member: string): boolean {
		if (!this.scores.delete(member)) return false;
		this.ordered = undefined;
		return true;
	}

	entries(): Scored[] {
		this.ordered ??= [...this.scores]
			.map(([member, score]) => ({ member, score }))
			.sort((a, b) => a.score - b.score || (a.member < b.member ? -1 : 1));
		return this.ordered;
	}

	/** By rank, both ends included. Negative ranks count from the end. */
	byRank(first: number, last: number): Scored[] {
		const from = first < 0 ? Math.max(0, this.size + first) : first;
		const to = last < 0 ? this.size + last : last;
		return to < from ? [] : this.entries().slice(from, to + 1);
	}

	byScore(least: Bound, most: Bound): Scored[] {
		return this.entries().filter(
			({ score }) =>
				(least.isOpen ? score > least.value : score >= least.value) &&
				(most.isOpen ? score < most.value : score <= most.value),
		);
	}
}

/** `-inf`, `12`, `(12` @throws RedisFailure */
function boundOf(text: string): Bound {
	const isOpen = text.startsWith('(');
	return { value: numberOf(isOpen ? text.slice(1) : text), isOpen };
}

/** @throws RedisFailure */
function numberOf(text: string): number {
	if (/^[+-]?inf$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
	const value = Number(text);
	if (text.trim() === '' || Number.isNaN(value))
		throw new RedisFailure('ERR value is not a valid float');
	return value;
}

function scoreText(score: number): string {
	if (score === Infinity) return 'inf';
	return score === -Infinity ? '-inf' : String(score);
}

type Value = string | SortedSet | Map<string, string>;

interface Entry {
	value: Value;
	/** When (ms by the server's clock) it expires; undefined for never. */
	expiresAt?: number;
}

type Command = (data: DataSet, parameters: string[]) => RedisReply;

export class DataSet {
	/** How many times the server has started. */
	starts = 1;
	/** When it last started (ms by its clock). */
	startedAt = -Infinity;
	private entries = new Map<string, Entry>();

	/** @param now the server's clock (ms since 1970) */
	constructor(readonly now: () => number) {}

	/** @throws for a command that the simulation does not support. A RedisFailure is returned as a reply. */
	run([name = '', ...parameters]: string[]): RedisReply {
		const command = COMMANDS[name.toUpperCase()];
		if (command === undefined) throw unsupported(`command ${name}`);
		try {
			return command(this, parameters);
		} catch (error) {
			if (error instanceof RedisFailure) return error;
			throw error;
		}
	}

	clear(): void {
		this.entries.clear();
	}

	/** A copy of the current data, for a replica or an inspection. */
	copy(): Map<string, Entry> {
		for (const key of [...this.entries.keys()]) this.find(key);
		return new Map(
			[...this.entries].map(([key, { value, expiresAt }]) => [
				key,
				{ value: copyOf(value), expiresAt },
			]),
		);
	}

	restore(copy: Map<string, Entry>): void {
		this.entries = copy;
	}

	find(key: string): Entry | undefined {
		const entry = this.entries.get(key);
		if (entry?.expiresAt === undefined || entry.expiresAt >= Math.floor(this.now())) return entry;
		this.entries.delete(key);
		return undefined;
	}

	/** The value at the key. @throws RedisFailure if it is of another kind */
	get<T extends Value>(key: string, isKind: (value: Value) => value is T): T | undefined {
		const value = this.find(key)?.value;
		if (value === undefined || isKind(value)) return value;
		throw new RedisFailure('WRONGTYPE Operation against a key holding the wrong kind of value');
	}

	set(key: string, value: Value, expiresAt?: number): void {
		this.entries.set(key, { value, expiresAt });
	}

	delete(key: string): number {
		return this.find(key) !== undefined && this.entries.delete(key) ? 1 : 0;
	}

	make<T extends Value>(key: string, isKind: (value: Value) => value is T, fresh: () => T): T {
		const known = this.get(key, isKind);
		if (known !== undefined) return known;
		const made = fresh();
		this.set(key, made);
		return made;
	}

	/** Redis deletes empty collections. */
	dropIfEmpty(key: string): void {
		const value = this.entries.get(key)?.value;
		if (typeof value === 'object' && value.size === 0) this.entries.delete(key);
	}

	expire(key: string, at: number): number {
		const entry = this.find(key);
		if (entry === undefined) return 0;
		entry.expiresAt = at;
		if (at <= Math.floor(this.now())) this.entries.delete(key);
		return 1;
	}
}

const isText = (value: Value) => typeof value === 'string';
const isSortedSet = (value: Value) => value instanceof SortedSet;
const isHash = (value: Value) => value instanceof Map;

const sortedSet = (data: DataSet, key = '') => data.get(key, isSortedSet) ?? new SortedSet();
const hash = (data: DataSet, key = '') => data.get(key, isHash) ?? new Map<string, string>();

const COMMANDS: Record<string, Command> = {
	TIME: (data) => {
		const microseconds = Math.floor(data.now() * 1000);
		return [String(Math.floor(microseconds / 1e6)), String(microseconds % 1e6)];
	},
	INFO: ({ starts, startedAt, now }) => {
		const uptime = Math.floor(Math.min(1e9, Math.max(0, now() - startedAt) / 1000));
		return `redis_version:7.0.15\r\nrun_id:run${starts}\r\nuptime_in_seconds:${uptime}\r\n`;
	},
	GET: (data, [key = '']) => data.get(key, isText) ?? null,
	SET: (data, [key = '', value = '', option, ms]) => {
		if (option !== 'PX') throw unsupported(`SET with ${option}`);
		data.set(key, value, Math.floor(data.now()) + Number(ms));
		return { status: 'OK' };
	},
	DEL: (data, keys) => keys.reduce((count, key) => count + data.delete(key), 0),
	PEXPIRE: (data, [key = '', ms = '']) => data.expire(key, Math.floor(data.now()) + Number(ms)),
	PTTL: (data, [key = '']) => {
		const entry = data.find(key);
		if (entry === undefined) return -2;
		return entry.expiresAt === undefined ? -1 : entry.expiresAt - Math.floor(data.now());
	},
	HGET: (data, [key, field = '']) => hash(data, key).get(field) ?? null,
	HSET: (data, [key = '', ...pairs]) => {
		const fields = data.make(key, isHash, () => new Map<string, string>());
		let added = 0;
		for (let index = 0; index < pairs.length; index += 2) {
			const [field = '', value = ''] = pairs.slice(index);
			if (!fields.has(field)) added++;
			fields.set(field, value);
		}
		return added;
	},
	ZADD: (data, [key = '', ...pairs]) => {
		const scores = pairs.filter((_, index) => index % 2 === 0).map(numberOf);
		const set = data.make(key, isSortedSet, () => new SortedSet());
		return scores.filter((score, index) => set.add(pairs[2 * index + 1] ?? '', score)).length;
	},
	ZREM: (data, [key = '', ...members]) => removed(data, key, members),
	ZCARD: (data, [key]) => sortedSet(data, key).size,
	ZSCORE: (data, [key, member = '']) => {
		const score = sortedSet(data, key).score(member);
		return score === undefined ? null : scoreText(score);
	},
	ZCOUNT: (data, [key, least = '', most = '']) =>
		sortedSet(data, key).byScore(boundOf(least), boundOf(most)).length,
	ZRANGE: (data, [key, first = '', last = '', ...options]) =>
		listOf(sortedSet(data, key).byRank(Number(first), Number(last)), options),
	ZRANGEBYSCORE: (data, [key, least = '', most = '', ...options]) =>
		listOf(sortedSet(data, key).byScore(boundOf(least), boundOf(most)), options),
	ZREMRANGEBYSCORE: (data, [key = '', least = '', most = '']) =>
		removed(data, key, membersOf(sortedSet(data, key).byScore(boundOf(least), boundOf(most)))),
	ZREMRANGEBYRANK: (data, [key = '', first = '', last = '']) =>
		removed(data, key, membersOf(sortedSet(data, key).byRank(Number(first), Number(last)))),
};

const membersOf = (entries: Array<{ member: string }>) => entries.map(({ member }) => member);

function removed(data: DataSet, key: string, members: string[]): number {
	const set = sortedSet(data, key);
	const count = members.filter((member) => set.remove(member)).length;
	data.dropIfEmpty(key);
	return count;
}

function listOf(entries: Array<{ member: string; score: number }>, options: string[]): string[] {
	const words = options.map((word) => word.toUpperCase());
	const unknown = words.filter((word) => !/^(WITHSCORES|LIMIT|-?\d+)$/.test(word));
	if (unknown.length > 0) throw unsupported(`option ${unknown.join(', ')}`);
	const limit = words.indexOf('LIMIT');
	const [offset, count] = limit < 0 ? [0, -1] : words.slice(limit + 1, limit + 3).map(Number);
	const end = count === undefined || count < 0 ? undefined : (offset ?? 0) + count;
	const withScores = words.includes('WITHSCORES');
	return entries
		.slice(offset, end)
		.flatMap(({ member, score }) => (withScores ? [member, scoreText(score)] : [member]));
}

function copyOf(value: Value): Value {
	if (typeof value === 'string') return value;
	if (value instanceof Map) return new Map(value);
	const copy = new SortedSet();
	for (const { member, score } of value.entries()) copy.add(member, score);
	return copy;
}
