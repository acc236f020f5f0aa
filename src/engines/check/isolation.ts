// Verifies that a machine cannot reach what it must not: tries connections from inside a test instance to another on
// the same host, directly and through the router, and to all other forbidden targets. Uses the engine's own terminal,
// so the image needs only bash, an SSH server and, for the router, ip.

import { setTimeout as pause } from "node:timers/promises";
import type { Engine, MachineRef } from "../engine.ts";
import { type Finding, listed, ok, problem, warning, wordsOf } from "./finding.ts";
import { type Address, type Knocks, scriptFor } from "./isolation-script.ts";

/** For the whole script: twenty seconds, and minutes in emulation on a busy host. */
const PATIENCE_MS = 240_000;
/** How long the shell can take to exit. */
const END_MS = 2000;
/** A shell that is still starting can lose what it is sent, so it is asked again in this interval until it answers. */
const ASK_AGAIN_MS = 3000;

const sshPort = 22;
const folder = "/tmp/lessor-check";

/** What must not respond. A rejection is a response: it shows that packets arrive. */
export interface Target extends Address {
  /** A noun phrase that follows "a machine reaches". */
  readonly what: string;
  /** What to do if it responds. */
  readonly advice: string;
}

export interface IsolationOrder {
  /** The address of another machine on the same host, and what to do if it responds. */
  readonly neighbor: { readonly ip: string; readonly advice: string };
  readonly targets: readonly Target[];
  /** What must respond: otherwise silence only shows that the guest sends nothing. Undefined: no such control. */
  readonly control: Address | undefined;
}

/** On a cloud, this address serves instance metadata and credentials; on your own hosts it can be anything. */
export function metadataTarget(advice: string): Target {
  return { what: "the metadata address 169.254.169.254", ip: "169.254.169.254", port: 80, advice };
}

/** The first address of each of the operator's networks. IPv4 only. */
export function managementTargets(networks: readonly string[], advice: string): Target[] {
  return networks.flatMap((network) => {
    const [address = "", bits] = network.split("/");
    if (address.includes(":")) return [];
    const ip = bits === "32" ? address : firstIn(address, Number(bits));
    const what = `${ip} of management_networks`;
    // Includes a port that replies come from.
    return [sshPort, 65_000].map((port) => ({ what: `${what} at port ${port}`, ip, port, advice }));
  });
}

function firstIn(address: string, bits: number): string {
  const size = 2 ** (32 - bits);
  const number = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  const first = Math.floor(number / size) * size + 1;
  return [24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join(".");
}

/** `from` runs on the same host as the neighbor. */
export async function* checkIsolation(
  engine: Engine,
  from: MachineRef,
  { neighbor, targets, control }: IsolationOrder,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const what = `isolation on ${from.host}`;
  const other = { ip: neighbor.ip, port: sshPort, advice: neighbor.advice };
  const all: readonly Target[] = [
    { ...other, what: "another on the same host" },
    { ...other, what: "another on the same host through the router" },
    ...targets,
  ];
  try {
    const knocks = knocksAt(all, control);
    const heard = await knockFrom(engine, from, knocks, AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]));
    const open = all.filter((_, index) => heard.get(`t${index}`) === "reached");
    for (const target of open) yield problem(what, `one machine reaches ${target.what}`, target.advice);
    // No response alone proves no isolation: it counts only if the shell reached itself and the control, and reported
    // the target as silent.
    const mute = control !== undefined && heard.get("control") === "silent";
    const tried = heard.get("own") === "reached" && (control === undefined || heard.get("control") === "reached");
    const silent = all.filter((_, index) => tried && heard.get(`t${index}`) === "silent");
    const untried = all.filter((target) => !open.includes(target) && !silent.includes(target));
    if (silent.length > 0) yield ok(what, `one machine does not reach ${listed(silent.map((target) => target.what))}`);
    if (untried.length > 0) {
      const why = mute
        ? `even ${control.ip} at port ${control.port}, which guests can reach, is silent; unknown`
        : "the guest's shell did not report";
      yield warning(
        what,
        `could not be tested: ${why} whether it reaches ${listed(untried.map((one) => one.what))}`,
        "test it manually with two machines",
      );
    }
  } catch (error) {
    signal.throwIfAborted();
    yield warning(what, `could not be tested: ${wordsOf(error)}`, "test it manually with two machines");
  }
}

/** The first target directly, the second through the router. Its own port shows whether the shell can connect at all. */
function knocksAt([direct, routed, ...others]: readonly Target[], control: Address | undefined): Knocks {
  const named = others.map((target, index) => [`t${index + 2}`, target] as const);
  return {
    direct: {
      own: { ip: "127.0.0.1", port: sshPort },
      ...(control && { control }),
      ...(direct && { t0: direct }),
      ...Object.fromEntries(named),
    },
    control: control && "control",
    routed: routed ? { t1: routed } : {},
  };
}

/** The result by name. */
async function knockFrom(
  engine: Engine,
  from: MachineRef,
  knocks: Knocks,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const terminal = await engine.openTerminal(from, { kind: "shell", columns: 200, rows: 24 }, signal);
  let shown = "";
  const { promise: ready, resolve: found } = Promise.withResolvers<void>();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  terminal.onData((data) => {
    shown += Buffer.from(data).toString("latin1");
    const said = saidIn(shown);
    if (said.has("shell")) found();
    if (said.has("all")) answer();
  });
  terminal.onEnd(end);
  const ask = () => terminal.write(Buffer.from("printf 'shell=%s\\n' reads\n"));
  const asking = setInterval(ask, ASK_AGAIN_MS);
  try {
    ask();
    await Promise.race([ready, ended, pause(PATIENCE_MS, undefined, { signal, ref: false })]);
    clearInterval(asking);
    // Line by line into a file: a terminal limits lines to 4096 characters.
    const script = scriptFor(knocks, folder);
    const lines = [
      `mkdir -p ${folder}; cat >${folder}/script <<'LESSOR'`,
      ...script,
      "LESSOR",
      `bash ${folder}/script; rm -r ${folder}`,
    ];
    terminal.write(Buffer.from(`${lines.join("\n")}\n`));
    await Promise.race([answered, ended, pause(PATIENCE_MS, undefined, { signal, ref: false })]);
    // Only now, so that no output is lost. On LXD 5.0 a session that is merely closed can stay open if its instance is
    // removed right afterwards.
    terminal.write(Buffer.from("exit\n"));
    await Promise.race([ended, pause(END_MS, undefined, { signal, ref: false })]);
  } finally {
    clearInterval(asking);
    terminal.close();
  }
  return saidIn(shown);
}

/** Only whole lines count: the output can be cut anywhere. */
function saidIn(shown: string): Map<string, string> {
  return new Map([...shown.matchAll(/^(\w+)=(\w+)\r?\n/gm)].map(([, name = "", said = ""]) => [name, said]));
}
