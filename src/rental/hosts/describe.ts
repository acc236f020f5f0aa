// An operator's note on a host and its labels (rack, row, order): the service only keeps, shows and selects by them.
// Labels follow the rules of tags, so that a selector is written like a filter of tags. Used by the control interface.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { problemOfText, problemsOfTags } from "../../rules/tag-rules.ts";
import { type Host, readHost } from "../capacity/host-reading.ts";
import { invalid, RentalError } from "../errors.ts";
import { holdsSecret } from "../holds-secret.ts";

/** In characters (code points). */
export const longestNote = 1000;

/** Absent fields stay as they are. */
export interface HostDescription {
  /** Empty: none. */
  readonly note?: string | undefined;
  /** Sets these labels; null removes one. Others stay. */
  readonly labels?: Readonly<Record<string, string | null>> | undefined;
}

/** Throws RentalError unknown-object, and invalid-parameters for a note or label that the rules reject. */
export async function describeHost(tx: Transaction, name: string, { note, labels }: HostDescription): Promise<Host> {
  const problem = note === undefined ? undefined : problemOfNote(note);
  if (problem !== undefined) throw invalid("note", problem);
  const { rows } = await sql<{ note: string; labels: Record<string, string> }>`
    select note, labels from hosts where name = ${name} for update`.execute(tx);
  const [before] = rows;
  if (before === undefined) throw new RentalError("unknown-object", { what: "host", ids: [name] });
  const after = { note: note ?? before.note, labels: labelsAfter(before.labels, labels ?? {}) };
  await tx
    .updateTable("hosts")
    .set({ note: after.note, labels: JSON.stringify(after.labels) })
    .where("name", "=", name)
    .execute();
  return readHost(tx, name);
}

function problemOfNote(note: string): string | undefined {
  if (holdsSecret(note)) return "It must not contain a token or a signing secret, because others read it.";
  // Several lines are allowed in a note.
  return problemOfText(note.replaceAll(/\r?\n/g, " "), 0, longestNote);
}

/** Throws RentalError invalid-parameters, naming the label. */
function labelsAfter(
  before: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const merged = new Map(Object.entries({ ...before, ...changes }));
  const tags = [...merged].flatMap(([key, value]) => (value === null ? [] : [{ key, value }]));
  for (const [, message] of problemsOfTags(tags)) throw invalid("labels", message);
  const secret = tags.find(({ value }) => holdsSecret(value));
  if (secret !== undefined) throw invalid("labels", "A label must not contain a token or a signing secret.");
  return Object.fromEntries(tags.map(({ key, value }) => [key, value]));
}
