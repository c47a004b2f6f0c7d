/** Resolves the parameters of a node for an item, as n8n does: fixed values and the simplest expressions. */

import { unsupported } from '../world/unsupported';

export interface ExpressionData {
	json: Record<string, unknown>;
	/** The values of an agent for `$fromAI`. */
	fromAi: Record<string, unknown>;
	runIndex: number;
}

const WHOLE = /^\{\{([^{}]*)\}\}$/;
const PART = /\{\{([^{}]*)\}\}/g;

/** The value with all expressions in it evaluated. They begin with `=`. */
export function resolveParameter(value: unknown, data: ExpressionData): unknown {
	if (typeof value === 'string')
		return value.startsWith('=') ? evaluate(value.slice(1), data) : value;
	if (Array.isArray(value)) return value.map((one) => resolveParameter(one, data));
	if (typeof value !== 'object' || value === null) return value;
	const entries = Object.entries(value).map(([name, one]) => [name, resolveParameter(one, data)]);
	return Object.fromEntries(entries) as unknown;
}

/** @throws for expressions that the simulation does not support */
export function evaluate(template: string, data: ExpressionData): unknown {
	const whole = WHOLE.exec(template.trim())?.[1];
	if (whole !== undefined) return valueOf(whole.trim(), data);
	return template.replace(PART, (_, code: string) => String(valueOf(code.trim(), data)));
}

function valueOf(code: string, data: ExpressionData): unknown {
	const field = /^\$json\.(\w+)$/.exec(code)?.[1];
	if (field !== undefined) return data.json[field];
	const argument = /^\$fromAI\("(\w+)"/.exec(code)?.[1];
	if (argument !== undefined) return data.fromAi[argument];
	if (code === '$runIndex') return data.runIndex;
	throw unsupported(`expression ${code}`);
}

export function valueAt(parameters: object, path: string): unknown {
	let value: unknown = parameters;
	for (const name of path.split('.')) {
		value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
	}
	return value;
}
