// Requests a change of several things, one after the other. Used by actions on instances and by changes of hosts, whose
// requests are idempotent, so that a command can be repeated. Invariant: a rejected one does not stop the others.

import { CommandError, isUnanswered } from "./command-error.ts";

export interface Outcome<Result> {
  readonly accepted: readonly Result[];
  /** Throws what was rejected: for one thing the error itself, for several the cause for each. Otherwise does nothing. */
  throwRejected(): void;
}

/** `what`: the things in the plural, for errors. Throws CommandError at once if the service does not respond. */
export async function oneByOne<Thing extends { readonly name: string }, Result>(
  what: string,
  things: readonly Thing[],
  ask: (thing: Thing) => Promise<Result>,
): Promise<Outcome<Result>> {
  const accepted: Result[] = [];
  const rejected: { name: string; error: CommandError }[] = [];
  for (const thing of things) {
    try {
      accepted.push(await ask(thing));
    } catch (error) {
      if (!(error instanceof CommandError) || isUnanswered(error)) throw error;
      rejected.push({ name: thing.name, error });
    }
  }
  const throwRejected = () => {
    const [first] = rejected;
    if (first === undefined) return;
    if (things.length === 1) throw first.error;
    const { code, requestId, exit } = first.error;
    throw new CommandError(
      `${rejected.length} of ${things.length} ${what} were rejected.`,
      rejected.map(({ name, error }) => `${name}: ${error.message} ${error.suggestion ?? ""}`.trimEnd()).join("\n"),
      { code, requestId, exit, cause: first.error },
    );
  };
  return { accepted, throwRejected };
}
