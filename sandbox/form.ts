// Validates input from tests and other processes.

import type { z } from 'zod';

/** Validates a value. Throws an error that names the first invalid field. */
export function checkForm<Form>(
	name: string,
	form: z.ZodType<Form, z.ZodTypeDef, unknown>,
	value: unknown,
): Form {
	const { success, data, error } = form.safeParse(value);
	if (success) return data;
	const [issue] = error.issues;
	throw new Error(`${[name, issue?.path.join('.')].filter(Boolean).join(', ')}: ${issue?.message}`);
}
