// Whether a machine reaches nothing but its own: from inside a probe instance, connections to another one on the same
// host, straight and through the router, and to everything else that it must not reach. Through the engine's own terminal,
// so that nothing in the image is needed but bash, an SSH server and, for the way through the router, ip.

import { setTimeout as pause } from "node:timers/promises";
import type { Engine, MachineRef } from "../engine.ts";
import { type Finding, listed, ok, problem, warning, wordsOf } from "./finding.ts";
import { type Address, type Knocks, scriptFor } from "./isolation-script.ts";

/** How long the shell may take for everything: twenty seconds, and minutes in emulation on a busy host. */
const PATIENCE_MS = 240_000;
/** How long it may take to end when it is told to. */
const END_MS = 2000;

const sshPort = 22;
/** In the guest. */
const folder = "/tmp/lessor-check";

/** What must not answer. A refusal is an answer: it shows that what is sent there arrives. */
export interface Target extends Address {
  /** In words that follow "a machine reaches". */
  readonly what: string;
  /** What to do where it answers. */
  readonly advice: string;
}

export interface IsolationOrder {
  /** The address of another machine on the same host, and what to do where it answers. */
  readonly neighbor: { readonly ip: string; readonly advice: string };
  readonly targets: readonly Target[];
  /** What must answer, or silence shows no isolation but a guest that sends nothing; undefined where nothing has to. */
  readonly control: Address | undefined;
}

/** A machine of a cloud asks there who it is; on a host of one's own it may be anything. */
export function metadataTarget(advice: string): Target {
  return { what: "the metadata address 169.254.169.254", ip: "169.254.169.254", port: 80, advice };
}

/** Where something may answer in a network of the operator's: its first address. IPv4 only. */
export function managementTargets(networks: readonly string[], advice: string): Target[] {
  return networks.flatMap((network) => {
    const [address = "", bits] = network.split("/");
    if (address.includes(":")) return [];
    const ip = bits === "32" ? address : firstIn(address, Number(bits));
    const what = `${ip} of management_networks`;
    // A port from which replies come, too.
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
    // No answer is no isolation: only a shell that reached itself, and what must answer, and said of the target that it did
    // not, counts.
    const mute = control !== undefined && heard.get("control") === "silent";
    const tried = heard.get("own") === "reached" && (control === undefined || heard.get("control") === "reached");
    const silent = all.filter((_, index) => tried && heard.get(`t${index}`) === "silent");
    const untried = all.filter((target) => !open.includes(target) && !silent.includes(target));
    if (silent.length > 0) yield ok(what, `one machine does not reach ${listed(silent.map((target) => target.what))}`);
    if (untried.length > 0) {
      const why = mute
        ? `even ${control.ip} at port ${control.port} is silent, which guests reach, so that nothing shows`
        : "the guest's shell did not say";
      yield warning(
        what,
        `could not be tried: ${why} whether it reaches ${listed(untried.map((one) => one.what))}`,
        "try it by hand with two machines",
      );
    }
  } catch (error) {
    signal.throwIfAborted();
    yield warning(what, `could not be tried: ${wordsOf(error)}`, "try it by hand with two machines");
  }
}

/** The first of them straight, the second through the router. Its own port shows whether the shell can knock at all. */
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

/** What it said of each name. */
async function knockFrom(
  engine: Engine,
  from: MachineRef,
  knocks: Knocks,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const terminal = await engine.openTerminal(from, { kind: "shell", columns: 200, rows: 24 }, signal);
  let shown = "";
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  terminal.onData((data) => {
    shown += Buffer.from(data).toString("latin1");
    if (saidIn(shown).has("all")) answer();
  });
  terminal.onEnd(end);
  try {
    // Line by line into a file: a terminal takes no line of more than 4096 characters.
    const script = scriptFor(knocks, folder);
    const lines = [
      `mkdir -p ${folder}; cat >${folder}/script <<'LESSOR'`,
      ...script,
      "LESSOR",
      `bash ${folder}/script; rm -r ${folder}`,
    ];
    terminal.write(Buffer.from(`${lines.join("\n")}\n`));
    await Promise.race([answered, ended, pause(PATIENCE_MS, undefined, { signal, ref: false })]);
    // Only now, so that nothing that it says is lost. One that is merely closed can stay open on LXD 5.0 when its
    // instance is removed right after it.
    terminal.write(Buffer.from("exit\n"));
    await Promise.race([ended, pause(END_MS, undefined, { signal, ref: false })]);
  } finally {
    terminal.close();
  }
  return saidIn(shown);
}

/** Only whole lines count: what comes may be cut anywhere. */
function saidIn(shown: string): Map<string, string> {
  return new Map([...shown.matchAll(/^(\w+)=(\w+)\r?\n/gm)].map(([, name = "", said = ""]) => [name, said]));
}
