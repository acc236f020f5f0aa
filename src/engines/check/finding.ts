// The findings of an engine check, one per line. The steps of a check yield them; the command prints them
// (operator/finding-line.ts).
//
// Invariant: a problem prevents rentals or isolation; a warning does not. Both say what to do. A finding contains no
// secret and no terminal control sequence.

import { EngineError } from "../engine.ts";

export type Verdict = "ok" | "warning" | "problem";

export interface Finding {
  /** The subject, in a word or two: "members", "image debian-12", "pool on h1". */
  readonly what: string;
  readonly verdict: Verdict;
  readonly detail: string;
  /** What to do about it; undefined if nothing. */
  readonly advice: string | undefined;
  /** The error that ended the step before it could find out; undefined: the step found this. */
  readonly cause?: string;
}

export function ok(what: string, detail: string): Finding {
  return finding(what, "ok", detail, undefined);
}

export function warning(what: string, detail: string, advice: string): Finding {
  return finding(what, "warning", detail, advice);
}

export function problem(what: string, detail: string, advice: string): Finding {
  return finding(what, "problem", detail, advice);
}

function finding(what: string, verdict: Verdict, detail: string, advice: string | undefined): Finding {
  return {
    what: plain(what),
    verdict,
    detail: plain(detail),
    advice: advice === undefined ? undefined : plain(advice),
  };
}

/** Names and messages come from clusters and hosts: removes control characters, so the text stays one line. */
function plain(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ").trim();
}

/** An error in one line for operators, with the cluster's or host's own message if the engine has set it as the cause. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.message.replace(/\.$/, "");
  if (error instanceof EngineError && error.cause instanceof Error) return `${own} (${wordsOf(error.cause)})`;
  return own;
}

/** "one", "one and two", "one, two and three". */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
