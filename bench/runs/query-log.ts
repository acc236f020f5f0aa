// Counts statements in PostgreSQL's log (log_statement = all, no line prefix). Used by rest.

/**
 * The lines with a statement, simple or prepared, from any session. Transaction control and the measurement's own
 * switching do not count.
 */
export function countQueries(log: string): number {
  const statements = log.matchAll(/^LOG: {2}(?:statement|execute [^:]+): (.*)$/gm);
  return [...statements].filter(
    ([, text = ""]) => !/^\s*(?:begin|commit|rollback|alter system|select pg_reload_conf)\b/i.test(text),
  ).length;
}
