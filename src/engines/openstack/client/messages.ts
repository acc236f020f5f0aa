// What a service's own error says: each has its own form, and proxies in front of them answer HTML. Used by client.ts
// and session.ts.

/** The message in the body of an error response; empty: none. */
export function messageIn(text: string): string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = text;
  }
  const found = typeof body === "string" ? body : (find(body, 3) ?? "");
  return found
    .replace(/<(head|style|script)[\s\S]*?<\/\1>/gi, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
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
