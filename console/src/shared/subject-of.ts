// What a line of usage or of a statement is of: an instance, or a reservation. Used by their tables.

/** Its id. */
export function subjectOf(line: {
  readonly instance_id: string | null;
  readonly reservation_id: string | null;
}): string {
  const id = line.instance_id ?? line.reservation_id;
  if (id === null) throw new Error("BUG: a line of usage is of nothing");
  return id;
}
