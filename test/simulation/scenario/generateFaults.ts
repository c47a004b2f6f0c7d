/** Generates the faults of a plan. */
import type { ExchangeFault } from '../service/exchange';
import type { Random } from '../world/random';
import { loweredLimits, type Moment, type Plan, type PlannedFault, type RedisEvent } from './plan';
import { HOUR_MS, type Rush } from './generateExecutions';

export function faultsOf(random: Random, plan: Plan, rushes: Rush[]): PlannedFault[] {
	const faults: PlannedFault[] = [];
	for (const rush of rushes) {
		// Days without a fault must work too, and show unnecessary waits.
		const count = random.one([0, 0, 1, 2, 3, 5]);
		for (let index = 0; index < count; index++) {
			const fault = faultIn(random, plan, rush);
			if (fault !== undefined) faults.push(fault);
		}
	}
	return faults;
}

function faultIn(random: Random, plan: Plan, rush: Rush): PlannedFault | undefined {
	const isShared = plan.store === 'redis';
	const process = random.whole(0, plan.processes.length - 1);
	const choice = random.next();
	if (choice < 0.42) {
		return {
			kind: 'request',
			when: momentIn(random, rush, undefined),
			fault: requestFault(random),
		};
	}
	if (choice < 0.52) return stopOf(random, plan, rush);
	if (choice < 0.6) {
		const downMs = random.one([2_000, 15_000, 90_000]);
		return { kind: 'kill', process, when: momentIn(random, rush), downMs };
	}
	if (choice < 0.65) {
		return { kind: 'stall', process, when: momentIn(random, rush), ms: random.between(50, 4_000) };
	}
	if (choice < 0.69) {
		const stepMs = random.one([-HOUR_MS, -20_000, 20_000, HOUR_MS]);
		return { kind: 'clock', process, at: random.between(rush.from, rush.until), stepMs };
	}
	if (choice < 0.75) {
		const access = random.one<'read' | 'write'>(['read', 'write']);
		const moment = random.one<'before' | 'after'>(['before', 'after']);
		return { kind: 'table', when: momentIn(random, rush, undefined), access, moment };
	}
	if (choice < 0.78) {
		const access = random.one<'credential' | 'file'>(['credential', 'file']);
		return { kind: 'host', when: momentIn(random, rush, undefined), access };
	}
	if (choice < 0.82) return otherClientUse(random, plan, rush);
	if (choice < 0.85) return editOf(random, plan, rush);
	if (!isShared) return undefined;
	if (choice < 0.92) {
		const fault = random.one(['cutBefore', 'cutAfter', 'silent'] as const);
		return { kind: 'command', when: momentIn(random, rush, undefined, 60), fault };
	}
	return { kind: 'redis', at: random.between(rush.from, rush.until), event: redisEvent(random) };
}

/** A moment, with or without a step; with one, at one of its first occurrences. */
function momentIn(
	random: Random,
	{ from, until }: Rush,
	step: Moment['step'] | 'any' = 'any',
	mostSkipped = 8,
): Moment {
	const after = random.between(from, until);
	const steps = ['started', 'left', 'counted', 'acted', 'responded', 'command', undefined] as const;
	const own = step === 'any' ? random.one(steps) : step;
	return { after, step: own, skip: random.whole(0, mostSkipped) };
}

function stopOf(random: Random, plan: Plan, rush: Rush): PlannedFault | undefined {
	const own = plan.executions.filter(({ at }) => at >= rush.from && at <= rush.until);
	if (own.length === 0) return undefined;
	const { id, at } = random.one(own);
	const moment = momentIn(random, { from: at, until: at + random.one([10, 1_000, 60_000]) });
	return { kind: 'stop', execution: id, when: moment };
}

function requestFault(random: Random): ExchangeFault {
	const lateMs = random.one([500, 4_000, 8_000]);
	const status = random.one([400, 401, 404, 408, 422, 500, 502, 503, 504]);
	const mayAct = status >= 500 || status === 408;
	return random.one<() => ExchangeFault>([
		() => ({
			kind: 'refused',
			code: random.one(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'EAI_AGAIN']),
		}),
		() => ({ kind: 'noConnection' }),
		() => ({
			kind: 'cut',
			moment: random.one(['beforeArrival', 'beforeActing', 'afterActing', 'duringResponse']),
		}),
		() => ({ kind: 'lost', what: random.one(['request', 'response']) }),
		() => ({ kind: 'late', what: random.one(['request', 'response']), ms: lateMs }),
		() => ({ kind: 'status', status, acts: mayAct && random.chance(0.5) }),
		() => ({ kind: 'status', status, acts: mayAct && random.chance(0.5) }),
		() => ({
			kind: 'status',
			status: 429,
			acts: false,
			...(random.chance(0.5)
				? { headers: { 'retry-after': String(random.one([0, 2, 30, 90])) } }
				: {}),
		}),
		() => {
			const body = random.one(['', '<html>log in</html>', '{"half":', '[]']);
			// Large bodies are used in all of a plan or not at all.
			const large = random.of('large bodies');
			if (large.chance(0.7)) return { kind: 'body', body };
			return { kind: 'largeBody', megabytes: large.one([60, 70, 200]) };
		},
		() => ({ kind: 'duplicated', afterMs: random.between(1, 5_000) }),
	])();
}

function otherClientUse(random: Random, plan: Plan, rush: Rush): PlannedFault {
	const [{ key = '' } = {}] = plan.keys;
	const endpoints = ['GET /masterdata/getContacts', ...Object.keys(plan.service.limits.endpoints)];
	return {
		kind: 'otherClient',
		at: random.between(rush.from - 1_000, rush.until),
		key,
		endpoint: random.one(endpoints),
		count: random.whole(1, 15),
		everyMs: random.one([10, 300, 5_000]),
	};
}

function editOf(random: Random, plan: Plan, rush: Rush): PlannedFault {
	const at = random.between(rush.from, rush.until);
	if (random.chance(0.5)) {
		const limits = loweredLimits(plan, () => random.whole(0, 2));
		return { kind: 'edit', at, credential: 'main', fields: { customize: true, limits } };
	}
	const key = random.key();
	const origin = random.one(['https://books.example', 'https://new-books.example']);
	plan.keys.push({ key, origin });
	return { kind: 'edit', at, credential: 'main', fields: { apiKey: key, baseUrl: origin } };
}

function redisEvent(random: Random): RedisEvent {
	return random.one<() => RedisEvent>([
		() => ({ what: 'flush' }),
		() => ({ what: 'pause', ms: random.one([1_000, 5_000, 20_000]) }),
		() => ({ what: 'outage', ms: random.one([1_000, 8_000, 40_000]) }),
		() => ({ what: 'restart', ms: random.between(200, 5_000), keepsData: random.chance(0.7) }),
		() => ({
			what: 'failOver',
			ms: random.between(200, 8_000),
			lostMs: random.between(100, 5_000),
		}),
		() => ({ what: 'silence' }),
		() => ({ what: 'clock', stepMs: random.one([-30_000, -2_000, 2_000, 30_000]) }),
	])();
}

export function losesData(event: RedisEvent): boolean {
	if (event.what === 'restart') return !event.keepsData;
	return event.what === 'flush' || event.what === 'failOver';
}
