// How Stripe's API takes requests: the key, forms with nested fields, errors, lists with cursors, and idempotency keys as its
// documentation says: the first response to a key is given again for 24 hours, also an error 500 after the work was done; with
// other fields the key is refused, and while the first request is in progress too. What was refused before the work began is
// not kept.

import { createHash } from "node:crypto";

export interface Asked {
  readonly method: string;
  readonly path: string;
  /** Of the form or the query. */
  readonly fields: Fields;
}

/** Nested as `a[b][0][c]`. */
export interface Fields {
  readonly [name: string]: string | Fields | undefined;
}

export class StripeFault extends Error {
  readonly status: number;
  readonly error: Readonly<Record<string, unknown>>;

  constructor(status: number, error: Readonly<Record<string, unknown>>) {
    super(String(error.message ?? error.code));
    this.status = status;
    this.error = error;
  }
}

export const invalidRequest = (message: string, param?: string, code?: string) =>
  new StripeFault(400, { type: "invalid_request_error", message, ...(param && { param }), ...(code && { code }) });
export const missing = (what: string, id: string) =>
  new StripeFault(404, {
    type: "invalid_request_error",
    code: "resource_missing",
    message: `No such ${what}: '${id}'`,
  });

export function fieldsIn(form: string): Fields {
  const root: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(form)) {
    const keys = name.split(/\[|\]\[|\]/).filter((key) => key !== "");
    let at = root;
    for (const key of keys.slice(0, -1)) {
      at[key] ??= {};
      at = at[key] as Record<string, unknown>; // no field is both a text and a group
    }
    at[keys.at(-1) ?? ""] = value;
  }
  return root as Fields; // made above
}

export const textIn = (fields: Fields, ...path: string[]): string | undefined => {
  let at: string | Fields | undefined = fields;
  for (const key of path) at = typeof at === "object" ? at[key] : undefined;
  return typeof at === "string" ? at : undefined;
};

export const textsIn = (fields: Fields, name: string): Record<string, string> => {
  const at = fields[name];
  return typeof at === "object"
    ? Object.fromEntries(Object.entries(at).map(([key, value]) => [key, String(value)]))
    : {};
};

interface Kept {
  readonly fingerprint: string;
  answer: { readonly status: number; readonly body: string } | undefined;
}

export class IdempotencyKeys {
  readonly #kept = new Map<string, Kept>();

  /** Undefined: this is the first request, whose answer goes to `keep`. Throws StripeFault. */
  begin(key: string, { method, path, fields }: Asked): Kept["answer"] {
    const fingerprint = createHash("sha256")
      .update(JSON.stringify([method, path, fields]))
      .digest("hex");
    const kept = this.#kept.get(key);
    if (kept === undefined) {
      this.#kept.set(key, { fingerprint, answer: undefined });
      return undefined;
    }
    if (kept.fingerprint !== fingerprint) {
      const message =
        "Keys for idempotent requests can only be used with the same parameters they were first used with.";
      throw new StripeFault(400, { type: "idempotency_error", message });
    }
    if (kept.answer === undefined) {
      throw new StripeFault(409, { type: "idempotency_error", code: "idempotency_key_in_use", message: "In use." });
    }
    return kept.answer;
  }

  /** Undefined: the work did not begin. */
  keep(key: string, answer: Kept["answer"]): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    if (answer === undefined) this.#kept.delete(key);
    else kept.answer = answer;
  }

  /** As after 24 hours. */
  forget(): void {
    this.#kept.clear();
  }
}

interface Listed {
  readonly id: string;
  readonly created: number;
}

/** Newest first, as all lists. */
export function listOf<T extends Listed>(path: string, all: readonly T[], fields: Fields) {
  const limit = Number(textIn(fields, "limit") ?? 10);
  const [gte, lte] = [
    Number(textIn(fields, "created", "gte") ?? 0),
    Number(textIn(fields, "created", "lte") ?? Infinity),
  ];
  const fitting = all.filter(({ created }) => created >= gte && created <= lte).toReversed();
  const after = textIn(fields, "starting_after");
  const from = after === undefined ? 0 : fitting.findIndex(({ id }) => id === after) + 1;
  const data = fitting.slice(from, from + limit);
  return { object: "list", url: path, has_more: from + limit < fitting.length, data };
}
