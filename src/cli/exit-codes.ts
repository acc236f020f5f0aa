// The command line's exit codes. Every error names its row; `lessor help exit-codes` shows the table, and
// docs/reference/cli.md has the same rows (checked by help.test.ts). Scripts may rely on them.

export const exitCodes = {
  ok: { code: 0, meaning: "Success." },
  failed: { code: 1, meaning: "Rejected or failed for another reason than those below." },
  usage: {
    code: 2,
    meaning: "Invalid usage or ambiguous name. No changes were requested.",
  },
  "not-found": { code: 3, meaning: "Not found." },
  "not-authorized": { code: 4, meaning: "Not signed in, or the token lacks the scope." },
  "does-not-fit": {
    code: 5,
    meaning: "Insufficient capacity, limit reached, name in use, or not possible in the current state.",
  },
  unreachable: { code: 6, meaning: "The service is unreachable or unavailable. Retry later." },
  interrupted: { code: 130, meaning: "Interrupted (Ctrl-C). Submitted operations continue." },
} as const satisfies Record<string, { readonly code: number; readonly meaning: string }>;

export type Exit = keyof typeof exitCodes;

/** The row for an error response of the service. `code`: its wire code. */
export function exitOfAnswer(status: number, code: string | undefined): Exit {
  if (code === "global/object-does-not-exist" || status === 404) return "not-found";
  if (code === "global/quota-exceeded" || status === 402 || status === 409) return "does-not-fit";
  if (status === 401 || status === 403) return "not-authorized";
  if (status === 429 || status === 503 || status === 502 || status === 504) return "unreachable";
  // Every error of the service has a code: this one is from a proxy in front of it.
  if (status >= 500 && code === undefined) return "unreachable";
  return "failed";
}

/** The table as text, one line per row. */
export function exitCodesText(): string {
  return Object.values(exitCodes)
    .map(({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}`)
    .join("\n");
}
