/** What is going to happen, the earliest first; what falls on one moment in the order of `tie`. */

export interface WorldEvent {
	/** When (ms of the world's time). */
	at: number;
	/** Decides between events of one moment. */
	tie: number;
	isCanceled: boolean;
	run: () => void;
	/** Whose event it is: a process's events wait while it stands still, and end with it. */
	owner: Owner | undefined;
}

/** Something whose events may be held up or dropped. */
export interface Owner {
	readonly isAlive: boolean;
	/** Until when (ms of the world's time) it does nothing. */
	readonly stalledUntil: number;
	/** Called when the promises that an event of its own has settled have run. */
	afterEvent(): void;
}

/** A binary heap. */
export class EventQueue {
	private readonly heap: WorldEvent[] = [];

	push(event: WorldEvent): void {
		const { heap } = this;
		let index = heap.length;
		heap.push(event);
		while (index > 0) {
			const parent = (index - 1) >> 1;
			if (!isBefore(event, heap[parent] as WorldEvent)) break;
			heap[index] = heap[parent] as WorldEvent;
			index = parent;
		}
		heap[index] = event;
	}

	pop(): WorldEvent | undefined {
		const { heap } = this;
		const first = heap[0];
		const last = heap.pop();
		if (first === undefined || last === undefined || heap.length === 0) return first;
		let index = 0;
		for (;;) {
			let child = 2 * index + 1;
			if (child >= heap.length) break;
			const right = heap[child + 1];
			if (right !== undefined && isBefore(right, heap[child] as WorldEvent)) child++;
			if (!isBefore(heap[child] as WorldEvent, last)) break;
			heap[index] = heap[child] as WorldEvent;
			index = child;
		}
		heap[index] = last;
		return first;
	}
}

function isBefore(a: WorldEvent, b: WorldEvent): boolean {
	return a.at < b.at || (a.at === b.at && a.tie < b.tie);
}
