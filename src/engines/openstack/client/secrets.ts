// Keeps secrets out of messages: services repeat parts of a request in their errors, and Nova repeats rejected values.
// Used by client.ts and session.ts.

import type { CloudAccess } from "../settings/clouds-file.ts";

const MOST_CHARACTERS = 500;
const isId = (text: string) => /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/.test(text);
/** Shorter values are words that messages need. */
const LEAST_CHARACTERS = 8;

export class Secrets {
  readonly #credential: string;
  /** The current one and the one before. */
  #tokens: readonly string[] = [];

  constructor({ credential }: Pick<CloudAccess, "credential">) {
    this.#credential = credential.kind === "password" ? credential.password : credential.secret;
  }

  addToken(token: string): void {
    this.#tokens = [token, ...this.#tokens].slice(0, 2);
  }

  /** One line of limited length, without secrets and without texts of the request's `body`. */
  hide(text: string, body?: object): string {
    const longestFirst = [...textsIn(body)].sort((a, b) => b.length - a.length);
    let shown = text;
    for (const secret of [this.#credential, ...this.#tokens, ...longestFirst]) {
      // As it is, and as it is in JSON.
      for (const form of [secret, JSON.stringify(secret).slice(1, -1)]) shown = shown.replaceAll(form, "…");
    }
    shown = shown
      .replace(/ Value: [\s\S]*/, "")
      .replace(/[\s\p{Cc}]+/gu, " ")
      .trim();
    return shown.length > MOST_CHARACTERS ? `${shown.slice(0, MOST_CHARACTERS)}…` : shown;
  }
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") {
    if (value.length >= LEAST_CHARACTERS && !isId(value)) yield value;
  } else if (typeof value === "object" && value !== null)
    for (const inner of Object.values(value)) yield* textsIn(inner);
}
