// Whether two machines on one host are kept apart: a second probe instance, and from it a knock at the first. Through
// the engine's own terminal, so that nothing in the image is needed but bash and an SSH server.

import { setTimeout as pause } from "node:timers/promises";
import type { Engine, MachineRef } from "../engine.ts";
import { type Finding, ok, problem, warning, wordsOf } from "./finding.ts";

/** How long the shell may take for everything; silence takes as long as all of its knocks. */
const PATIENCE_MS = 30_000;
/** How often the other is knocked at before it counts as silent: on a busy host one knock may get lost. */
const KNOCKS = 3;
/** How long it may take to end when it is told to. */
const END_MS = 2000;
const port = 22;

/**
 * `from` and the machine at `ip` run on one host. First it knocks at its own port, so that a shell that cannot knock at
 * all is not taken for isolation. `advice`: what to do where it reaches the other.
 */
export async function* checkIsolation(
  engine: Engine,
  from: MachineRef,
  ip: string,
  advice: string,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const what = `isolation on ${from.host}`;
  try {
    const heard = await knockFrom(engine, from, ip, AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]));
    if (heard.other === "reached") {
      yield problem(what, "one machine reaches another on the same host", advice);
    } else if (heard.own === "reached" && heard.other === "silent") {
      yield ok(what, "two machines do not reach each other");
    } else {
      // No answer is no isolation: only a shell that reached itself, and said of the other that it did not, counts.
      yield warning(
        what,
        "could not be tried: the guest's shell did not say whom it reaches",
        "try it by hand with two machines",
      );
    }
  } catch (error) {
    signal.throwIfAborted();
    yield warning(what, `could not be tried: ${wordsOf(error)}`, "try it by hand with two machines");
  }
}

interface Heard {
  readonly own: string | undefined;
  readonly other: string | undefined;
}

async function knockFrom(engine: Engine, from: MachineRef, ip: string, signal: AbortSignal): Promise<Heard> {
  const terminal = await engine.openTerminal(from, { kind: "shell", columns: 200, rows: 24 }, signal);
  let shown = "";
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  terminal.onData((data) => {
    shown += Buffer.from(data).toString("latin1");
    if (said(shown, "other") !== undefined) answer();
  });
  terminal.onEnd(end);
  try {
    terminal.write(Buffer.from(`${knock("own", "127.0.0.1", 1)}; ${knock("other", ip, KNOCKS)}\n`));
    await Promise.race([answered, ended, pause(PATIENCE_MS, undefined, { signal, ref: false })]);
    // Only now, so that nothing that it says is lost. One that is merely closed can stay open on LXD 5.0 when its
    // instance is removed right after it.
    terminal.write(Buffer.from("exit\n"));
    await Promise.race([ended, pause(END_MS, undefined, { signal, ref: false })]);
  } finally {
    terminal.close();
  }
  return { own: said(shown, "own"), other: said(shown, "other") };
}

/** Prints `name=reached` or `name=silent`. The shell shows what is typed as well, and there is no "name=" in that. */
function knock(name: string, address: string, times: number): string {
  const once = `timeout 3 bash -c 'exec 3<>/dev/tcp/${address}/${port}' 2>/dev/null`;
  const tries = Array.from({ length: times }, () => once).join(" || ");
  return `if ${tries}; then printf '%s=%s\\n' ${name} reached; else printf '%s=%s\\n' ${name} silent; fi`;
}

/** Only a whole line counts: what comes may be cut anywhere. */
function said(shown: string, name: string): string | undefined {
  return new RegExp(`^${name}=(\\w+)\\r?\\n`, "m").exec(shown)?.[1];
}
