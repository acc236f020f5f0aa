// A real terminal for tests: a tmux server of its own, in which a bash runs that knows `lessor`. What is typed goes through
// the pseudo-terminal, and what is read is what a person would see.
//
//   const terminal = await openTerminal({ HOME: directory });
//   terminal.type("lessor list", "Enter");
//   await terminal.sees("training");

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect } from "vitest";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { afterTest } from "../support/when-over.ts";

const main = resolve(import.meta.dirname, "../../src/main.ts");

export interface TerminalSize {
  readonly columns?: number;
  readonly rows?: number;
}

export interface Terminal {
  /** Types text as it is, and keys by tmux's names: "Enter", "Tab", "C-c". */
  type(text: string, ...keys: string[]): void;
  /** Keys alone. */
  press(...keys: string[]): void;
  /** What stands on the screen now, lines without the spaces at their ends; with colours as escapes where asked. */
  screen(options?: { colours?: boolean }): string;
  /** Waits until the screen shows this. */
  sees(what: string | RegExp): Promise<void>;
  clear(): Promise<void>;
}

/** A bash in a terminal of this size, with this environment and no other settings of a person's. Gone after the test. */
export async function openTerminal(
  env: Readonly<Record<string, string>>,
  { columns = 120, rows = 40 }: TerminalSize = {},
): Promise<Terminal> {
  const directory = await temporaryDirectory();
  const bin = join(directory, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "lessor"), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
  chmodSync(join(bin, "lessor"), 0o755);
  const socket = join(directory, "tmux");
  const tmux = (...args: string[]) => execFileSync("tmux", ["-S", socket, ...args], { encoding: "utf8" });
  const settings = { HOME: directory, ...env, PATH: `${bin}:${process.env.PATH}`, PS1: "$ ", LANG: "C.UTF-8" };
  const assignments = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const size = ["-x", `${columns}`, "-y", `${rows}`];
  const shell = ["env", "-i", "TERM=screen-256color", ...assignments, "bash", "--norc", "--noprofile"];
  tmux("-f", "/dev/null", "new-session", "-d", ...size, ...shell);
  afterTest(async () => void tmux("kill-server"));
  const terminal: Terminal = {
    type(text, ...keys) {
      tmux("send-keys", "-l", "--", text);
      if (keys.length > 0) terminal.press(...keys);
    },
    press: (...keys) => void tmux("send-keys", ...keys),
    screen: ({ colours = false } = {}) =>
      tmux("capture-pane", "-p", ...(colours ? ["-e"] : []))
        .split("\n")
        .map((line) => line.trimEnd())
        .join("\n")
        .trimEnd(),
    sees: async (what) => {
      const poll = expect.poll(() => terminal.screen());
      await (typeof what === "string" ? poll.toContain(what) : poll.toMatch(what));
    },
    async clear() {
      terminal.press("C-l");
      await expect.poll(() => terminal.screen()).toBe("$");
    },
  };
  await terminal.sees("$");
  return terminal;
}
