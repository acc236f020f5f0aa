// Recognizes constraint violations, so that the database enforces a rule and the rental words its error.

/** Whether the error is PostgreSQL's unique_violation (23505) of this constraint. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return isViolation(error, "23505", constraint);
}

/** Whether the error is PostgreSQL's foreign_key_violation (23503), of any constraint. */
export function isForeignKeyViolation(error: unknown): boolean {
  return isViolation(error, "23503");
}

function isViolation(error: unknown, code: string, constraint?: string): boolean {
  if (!(error instanceof Error) || !("code" in error) || error.code !== code) return false;
  return constraint === undefined || ("constraint" in error && error.constraint === constraint);
}
