// Prompts on a terminal: confirmation, and input without echo. On standard error, so that the output can be redirected.
// Ctrl-C ends the command.

import { createInterface } from "node:readline/promises";
import { CommandError, usageError } from "./command-error.ts";
import { plainLines } from "./output/text.ts";
import { canAsk, type Shell } from "./shell.ts";

/** Confirms an irreversible action. Throws CommandError if the answer is no, or no terminal is available. */
export async function confirm(shell: Shell, { what, yes }: { what: string; yes: boolean }): Promise<void> {
  if (yes) return;
  if (!canAsk(shell)) throw usageError("Confirmation required, but no terminal is available.", "Add --yes.");
  if (!/^y(es)?$/i.test((await ask(shell, `${what}${what.endsWith("\n") ? "" : " "}Go on? [y/N] `)).trim())) {
    throw new CommandError("Canceled. Nothing was changed.");
  }
}

/** Reads a line. Throws CommandError for Ctrl-C and Ctrl-D. */
export async function ask(shell: Shell, question: string): Promise<string> {
  const reader = createInterface({ input: shell.input, output: process.stderr });
  try {
    return await new Promise<string>((resolve, reject) => {
      reader.once("SIGINT", () => reject(interrupted()));
      reader.once("close", () => reject(interrupted()));
      reader.question(plainLines(question)).then(resolve, reject);
    });
  } finally {
    reader.close();
  }
}

/** Reads a line without echo, such as a token. Throws CommandError for Ctrl-C and Ctrl-D. */
export function askSecret({ input, err }: Shell, question: string): Promise<string> {
  err.write(question);
  input.setRawMode(true);
  input.setEncoding("utf8");
  let typed = "";
  return new Promise<string>((resolve, reject) => {
    const end = (finish: () => void) => {
      input.off("data", take);
      input.setRawMode(false);
      input.pause();
      err.write("\n");
      finish();
    };
    const take = (text: string) => {
      // A paste arrives in one piece, in brackets if the terminal uses bracketed paste.
      for (const letter of text.replaceAll("\x1b[200~", "").replaceAll("\x1b[201~", "")) {
        if (letter === "\r" || letter === "\n") return end(() => resolve(typed));
        if (letter === "\x03" || letter === "\x04") return end(() => reject(interrupted()));
        if (letter === "\x7f" || letter === "\b") typed = typed.slice(0, -1);
        else if (letter === "\x15") typed = "";
        else if (letter >= " ") typed += letter;
      }
    };
    input.on("data", take);
    input.resume();
  });
}

function interrupted(): CommandError {
  return new CommandError("Interrupted. Nothing was changed.", undefined, { exit: "interrupted" });
}
