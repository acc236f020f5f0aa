// A terminal as a person uses it: types, and reads what comes until it is what was waited for.

import { expect } from "vitest";
import type { Engine, MachineRef, TerminalOrder } from "../../src/engines/engine.ts";
import { afterTest } from "../support/when-over.ts";

export interface OpenTerminal {
  type(text: string): void;
  /** Waits until what has come, as a screen would show it, has this in it. */
  until(what: string | RegExp): Promise<void>;
  /** Whether the session has ended. */
  hasEnded(): boolean;
  close(): void;
}

/** Colours, the window's title, the mode of pasting, the way back to the line's start: what a screen obeys only. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is meant.
const unseen = /\u001b(\[[0-9;?]*[A-Za-z]|\][^\u0007]*\u0007)|[\r\u0007]/g;

/** Of 100 columns and 30 rows; closed when the test is over. */
export async function openTerminal(
  engine: Engine,
  machine: MachineRef,
  kind: TerminalOrder["kind"],
): Promise<OpenTerminal> {
  const signal = AbortSignal.timeout(60_000);
  const terminal = await engine.openTerminal(machine, { kind, columns: 100, rows: 30 }, signal);
  afterTest(() => terminal.close());
  const decoder = new TextDecoder();
  let shown = "";
  let hasEnded = false;
  terminal.onData((data) => {
    shown += decoder.decode(data, { stream: true });
  });
  terminal.onEnd(() => {
    hasEnded = true;
  });
  return {
    type: (text) => terminal.write(new TextEncoder().encode(text)),
    until: (what) => expect.poll(() => shown.replaceAll(unseen, ""), { timeout: 120_000, interval: 50 }).toMatch(what),
    hasEnded: () => hasEnded,
    close: () => terminal.close(),
  };
}
