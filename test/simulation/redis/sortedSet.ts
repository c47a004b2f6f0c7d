/** A sorted set of Redis: members by score, and by their bytes where scores are equal. */
import { RedisFailure } from './reply';

interface Entry {
	member: string;
	score: number;
}

/** A place among the scores: itself included or not. */
export interface Bound {
	value: number;
	isOpen: boolean;
}

export class SortedSet {
	private readonly scores = new Map<string, number>();

	private ordered: Entry[] | undefined = [];

	get size(): number {
		return this.scores.size;
	}

	score(member: string): number | undefined {
		return this.scores.get(member);
	}

	/** Returns whether it is new. */
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

	/** In ascending order. */
	entries(): Entry[] {
		this.ordered ??= [...this.scores]
			.map(([member, score]) => ({ member, score }))
			.sort((a, b) => a.score - b.score || (a.member < b.member ? -1 : 1));
		return this.ordered;
	}

	/** By rank, both ends included; negative ones count from the end. */
	byRank(first: number, last: number): Entry[] {
		const from = first < 0 ? Math.max(0, this.size + first) : first;
		const to = last < 0 ? this.size + last : last;
		return to < from ? [] : this.entries().slice(from, to + 1);
	}

	byScore(least: Bound, most: Bound): Entry[] {
		return this.entries().filter(
			({ score }) =>
				(least.isOpen ? score > least.value : score >= least.value) &&
				(most.isOpen ? score < most.value : score <= most.value),
		);
	}
}

/** `-inf`, `12`, `(12` @throws RedisFailure */
export function boundOf(text: string): Bound {
	const isOpen = text.startsWith('(');
	return { value: numberOf(isOpen ? text.slice(1) : text), isOpen };
}

/** @throws RedisFailure */
export function numberOf(text: string): number {
	if (/^[+-]?inf$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
	const value = Number(text);
	if (text.trim() === '' || Number.isNaN(value))
		throw new RedisFailure('ERR value is not a valid float');
	return value;
}

/** A score as Redis writes it. */
export function scoreText(score: number): string {
	if (score === Infinity) return 'inf';
	return score === -Infinity ? '-inf' : String(score);
}
