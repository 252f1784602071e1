/** The error of a refused command. */
export const problem = (code, message, hint, resolved) => Object.assign(new Error(message), { code, hint: hint ?? null, resolved: resolved ?? null });
