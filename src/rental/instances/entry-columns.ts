// The columns that entering a state writes, as SQL: derived from the table `entries` of lifecycle.ts, for the two
// statements that change states (apply-action.ts, record-observation.ts).

import { type RawBuilder, sql } from "kysely";
import { type Entry, entries, healths, type State } from "../../rules/lifecycle.ts";

/**
 * Assignments for the `set` of an update of instances: each column that some state of `entered` writes; unchanged for
 * other states. `target`: the state that a row enters. `ending`: on whose behalf it ends, if it does.
 */
export function entryColumns(
  entered: readonly State[],
  target: RawBuilder<unknown>,
  ending: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const values: Readonly<Record<Entry, (column: string) => RawBuilder<unknown>>> = {
    now: () => sql`now()`,
    "first time": (column) => sql`coalesce(${sql.ref(column)}, now())`,
    ending: (column) => sql`coalesce(${sql.ref(column)}, ${ending})`,
    ok: () => sql.lit(healths[0]),
    null: () => sql`null`,
  };
  const written = entered.flatMap((state) =>
    Object.entries<Entry>(entries[state]).map(([column, entry]) => ({ state, column, entry })),
  );
  const columns = [...new Set(written.map(({ column }) => column))];
  return sql.join(
    columns.map((column) => {
      const cases = written
        .filter((one) => one.column === column)
        .map(({ state, entry }) => sql`when ${sql.lit(state)} then ${values[entry](column)}`);
      return sql`${sql.ref(column)} = case ${target} ${sql.join(cases, sql` `)} else ${sql.ref(column)} end`;
    }),
  );
}
