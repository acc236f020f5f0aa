// What stands for something else in a document (a token, an id, an address, a place of the system), and what it is in a
// test. Invariant: everything else of a command runs as it is written. Used by commands.program.test.ts.

const wholeUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

export interface Here {
  /** Where the main port and the reference port are, such as http://127.0.0.1:41234. */
  readonly main: string;
  readonly reference: string;
  readonly customer: string;
  readonly operator: string;
  /** A directory that stands for the root of the system. */
  readonly system: string;
}

/** The ids of a page, and what they are here; learnt from answers. */
export class Ids {
  readonly #known = new Map<string, string>();
  #last: string | undefined;

  /** What a command answered. */
  heard(output: string): void {
    this.#last = output.match(uuid)?.[0] ?? this.#last;
  }

  /** The page shows `written` as the answer, and it was `real`: the ids in them are each other's, in order. */
  shown(written: string, real: string): void {
    const [ours, theirs] = [distinct(written), distinct(real)];
    for (const [index, id] of ours.entries()) {
      const it = theirs[index];
      if (it !== undefined && !this.#known.has(id)) this.#known.set(id, it);
    }
  }

  in(text: string): string {
    return text.replaceAll(uuid, (id) => this.#known.get(id) ?? id).replaceAll("<id>", this.#last ?? "<id>");
  }
}

const distinct = (text: string) => [...new Set(text.match(uuid) ?? [])];

/** The command as it runs here. Whether a token is the operator's, the comment behind it says. */
export function fitted(text: string, here: Here, ids: Ids): string {
  const token = /#.*operator/.test(text) ? here.operator : here.customer;
  const local = text
    .replaceAll(/(lessor_)?…(?=\s|'|"|$)/g, token)
    .replaceAll("http://127.0.0.1:8080", here.main)
    .replaceAll("http://127.0.0.1:8081", here.reference)
    .replaceAll(/(?<![\w.~/$-])\/(etc|var\/lib|usr\/bin)(?=\/)/g, `${here.system}/$1`);
  return ids.in(local);
}

/**
 * The keys of an answer, at any depth; of a list those of its first, and nothing where there is none. A UUID has the shape
 * of its version, and the size of an instance type, which the catalog says, is itself.
 */
export function shapeOf(value: unknown): unknown {
  if (typeof value === "string" && wholeUuid.test(value)) return `a UUID of version ${value.charAt(14)}`;
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, key === "specs" ? inner : shapeOf(inner)]),
  );
}
