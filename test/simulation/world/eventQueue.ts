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

export class EventQueue {
	/** The earliest is the last. */
	private readonly events: WorldEvent[] = [];

	push(event: WorldEvent): void {
		const { events } = this;
		let [from, to] = [0, events.length];
		while (from < to) {
			const middle = (from + to) >> 1;
			if (isBefore(event, events[middle] as WorldEvent)) from = middle + 1;
			else to = middle;
		}
		events.splice(from, 0, event);
	}

	pop(): WorldEvent | undefined {
		return this.events.pop();
	}
}

function isBefore(a: WorldEvent, b: WorldEvent): boolean {
	return a.at < b.at || (a.at === b.at && a.tie < b.tie);
}
