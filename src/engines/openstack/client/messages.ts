// What a service's own error says: each has its own form, and proxies in front of them answer HTML. Used by client.ts
// and session.ts.

/** More is not read: a message has a few hundred characters. No text that a request repeats is as long. */
const MOST_CHARACTERS = 2 ** 20;

/** In place of a message: who responded, which may be a proxy of the network in front of a service that is down. */
export function silentError(status: number, service: string, url: string): string {
  return `HTTP ${status} from ${service} at ${new URL(url).origin}`;
}

/** The message in the body of an error response; empty: none. Its time grows with the length of the text, no faster. */
export function messageIn(text: string): string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = text;
  }
  let found = (typeof body === "string" ? body : (find(body, 3) ?? "")).slice(0, MOST_CHARACTERS);
  for (const element of ["head", "style", "script"]) found = without(found, element);
  return found
    .replace(/<[^<>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/** Without the elements and what is in them. */
function without(text: string, element: string): string {
  const [open, close] = [`<${element}`, `</${element}>`];
  const lower = text.toLowerCase();
  // Lower case is longer of few letters, which no tag has.
  if (lower.length !== text.length) return text;
  const kept: string[] = [];
  let from = 0;
  for (;;) {
    const start = lower.indexOf(open, from);
    const end = start < 0 ? -1 : lower.indexOf(close, start);
    if (end < 0) break;
    kept.push(text.slice(from, start), " ");
    from = end + close.length;
  }
  return kept.join("") + text.slice(from);
}

/** {"badRequest": {"message": …}}, {"errors": [{"detail": …}]}, and the like. */
function find(value: unknown, depth: number): string | undefined {
  if (typeof value !== "object" || value === null || depth === 0) return undefined;
  for (const key of ["message", "detail"]) {
    const own: unknown = Reflect.get(value, key);
    if (typeof own === "string" && own !== "") return own;
  }
  for (const inner of Object.values(value)) {
    const found = find(inner, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
