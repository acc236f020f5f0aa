// Ids in tables: their last eight digits, since ids are ordered by time and start alike. The whole id is on hover and
// copied.

import { Copyable } from "./copyable.tsx";
import classes from "./short-id.module.css";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const isId = (text: string): boolean => uuid.test(text);

/** The part that differs between ids; what is not an id stays whole. */
export const shortId = (id: string): string => (isId(id) ? id.slice(-8) : id);

/** `of`: what has the id, "instance". */
export function ShortId({ id, of }: { readonly id: string; readonly of: string }) {
  return (
    <span className={classes.id}>
      <Copyable value={id} shown={shortId(id)} label={`${of} id ${id}`} />
    </span>
  );
}
