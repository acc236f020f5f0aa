// Whether the events of an instance tell a life that lifecycle.ts allows: each change once, in an order in which one
// wish or fact leads to the next, up to the state that the row has now. Used by audit.ts.

import { sql } from "kysely";
import type { Database } from "../../src/database/connect.ts";
import { actions, asState, initialState, observations, type State, states } from "../../src/rules/lifecycle.ts";

interface Told {
  readonly instance: string;
  /** Without "instance.". */
  readonly word: string;
  readonly generation: number;
}

interface Row {
  readonly id: string;
  readonly state: State;
  readonly generation: number;
  readonly health: string;
}

type Moves = Readonly<Record<string, Partial<Record<State, State>>>>;

/** One line for each place where a story is not as it could have been; empty: all are lawful. */
export async function storiesDisagree(db: Database): Promise<string[]> {
  const { rows: told } = await sql<Told>`
    select subject_id as instance, substr(type, length('instance.') + 1) as word,
      (data ->> 'generation')::float8 as generation
    from events where type like 'instance.%' order by position`.execute(db);
  const { rows } = await sql<Row>`select id, state, generation, health from instances`.execute(db);
  const stories = Map.groupBy(told, ({ instance }) => instance);
  return rows.flatMap((row) => {
    const story = stories.get(row.id) ?? [];
    const wrong = wrongIn(story, row);
    const words = story.map(({ word, generation }) => `${word}/${generation}`).join(" ");
    return wrong === undefined ? [] : [`instance ${row.id} (${row.state}/${row.generation}): ${wrong}: ${words}`];
  });
}

/** The first thing that is wrong; undefined: nothing is. */
function wrongIn(story: readonly Told[], row: Row): string | undefined {
  let at: { state: State; generation: number } | undefined;
  let health = "ok";
  let isUnderNotice = false;
  let failed: Told | undefined;
  for (const told of story) {
    const { word, generation } = told;
    // Where it is changes nothing that it is.
    if (word === "progress" || word === "moved") continue;
    if (word === "unreachable" || word === "reachable") {
      const next = word === "reachable" ? "ok" : "unreachable";
      if (next === health) return `${word} twice`;
      health = next;
    } else if (word === "preemption_notice") {
      if (isUnderNotice) return "a notice during a notice";
      isUnderNotice = true;
    } else if (word === "preemption_withdrawn" || word === "preempted") {
      if (!isUnderNotice) return `${word} without a notice`;
      isUnderNotice = false;
    } else if (word === "failed" || word === "host_lost") {
      if (failed !== undefined) return "failed twice";
      failed = told;
    } else {
      if (!states.some((state) => state === word)) return `unknown word ${word}`;
      const state = asState(word);
      if (at === undefined && state !== initialState) return `begins with ${word}`;
      if (at !== undefined && !isLawful(at, { state, generation })) return `${at.state} to ${word}`;
      if (failed !== undefined && failed.generation !== generation) return "failed and nothing came of it";
      failed = undefined;
      at = { state, generation };
    }
  }
  if (failed !== undefined) return "failed and nothing came of it";
  if (at?.state !== row.state || at.generation !== row.generation) return "ends elsewhere";
  // The end of an instance makes its health ok, without a word.
  return row.state === "terminated" || health === row.health ? undefined : `its health is ${row.health}`;
}

interface At {
  readonly state: State;
  readonly generation: number;
}

/** A wish is a new generation, a fact stays within one. */
function isLawful(from: At, to: At): boolean {
  const moves: Moves = to.generation === from.generation ? observations : actions;
  const isNext = to.generation === from.generation || to.generation === from.generation + 1;
  return isNext && from.state !== to.state && Object.values(moves).some((move) => move[from.state] === to.state);
}
