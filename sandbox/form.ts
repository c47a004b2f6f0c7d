// Checks the form of what tests and other processes hand in.

import type { z } from 'zod';

/** The value in its form. Throws an error that names the first place where it has another. */
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
