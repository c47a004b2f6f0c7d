/** Random numbers, all from one seed, in independent sequences by name. */
import { seededRandom } from '../../../sandbox/random';

export class Random {
	/** A number from 0 (inclusive) to 1 (exclusive). */
	readonly next: () => number;

	constructor(private readonly name: string) {
		this.next = seededRandom(hashOf(name));
	}

	/**
	 * An independent sequence. It does not change when other parts of a plan are removed, so that a shortened plan plays
	 * like the whole one.
	 */
	of(name: string | number): Random {
		return new Random(`${this.name}/${name}`);
	}

	/** From `least` to `most`, both included. */
	whole(least: number, most: number): number {
		return least + Math.floor(this.next() * (most - least + 1));
	}

	between(least: number, most: number): number {
		return least + this.next() * (most - least);
	}

	/** Mostly near `least` and rarely near `most`, like latencies. */
	skewed(least: number, most: number): number {
		return least + this.next() ** 4 * (most - least);
	}

	chance(probability: number): boolean {
		return this.next() < probability;
	}

	one<T>(choices: readonly T[]): T {
		return choices[this.whole(0, choices.length - 1)] as T;
	}

	key(): string {
		return Array.from({ length: 64 }, () => this.whole(0, 15).toString(16)).join('');
	}

	shuffled<T>(values: readonly T[]): T[] {
		return values
			.map((value) => ({ value, order: this.next() }))
			.sort((a, b) => a.order - b.order)
			.map(({ value }) => value);
	}
}

/** FNV-1a. */
function hashOf(text: string): number {
	let hash = 0x811c9dc5;
	for (let index = 0; index < text.length; index++) {
		hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
	}
	return hash >>> 0;
}
