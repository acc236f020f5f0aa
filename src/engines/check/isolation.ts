// Whether a machine reaches nothing but its own: from inside a probe instance, connections to another one on the same
// host, straight and through the router, and to everything else that it must not reach. Through the engine's own terminal,
// so that nothing in the image is needed but bash, an SSH server and, for the way through the router, ip.

import { setTimeout as pause } from "node:timers/promises";
import type { Engine, MachineRef } from "../engine.ts";
import { type Finding, listed, ok, problem, warning, wordsOf } from "./finding.ts";

/** How long the shell may take for everything: twenty seconds, and minutes in emulation on a busy host. */
const PATIENCE_MS = 240_000;
/** How long a target may be silent before it counts as such: on a busy host packets get lost, and TCP sends three in it. */
const SILENCE_SECONDS = 6;
/** How long it may take to end when it is told to. */
const END_MS = 2000;

const sshPort = 22;

/** What must not answer. A refusal is an answer: it shows that what is sent there arrives. */
export interface Target {
  /** In words that follow "a machine reaches". */
  readonly what: string;
  readonly ip: string;
  readonly port: number;
  /** What to do where it answers. */
  readonly advice: string;
}

export interface IsolationOrder {
  /** The address of another machine on the same host, and what to do where it answers. */
  readonly neighbor: { readonly ip: string; readonly advice: string };
  readonly targets: readonly Target[];
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

/**
 * `from` runs on the same host as the neighbor. First it knocks at its own port, so that a shell that cannot knock at all
 * is not taken for isolation.
 */
export async function* checkIsolation(
  engine: Engine,
  from: MachineRef,
  { neighbor, targets }: IsolationOrder,
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
    const heard = await knockFrom(engine, from, all, AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]));
    const open = all.filter((_, index) => heard.get(`t${index}`) === "reached");
    for (const target of open) yield problem(what, `one machine reaches ${target.what}`, target.advice);
    // No answer is no isolation: only a shell that reached itself, and said of the target that it did not, counts.
    const tried = heard.get("own") === "reached";
    const silent = all.filter((_, index) => tried && heard.get(`t${index}`) === "silent");
    const untried = all.filter((target) => !open.includes(target) && !silent.includes(target));
    if (silent.length > 0) yield ok(what, `one machine does not reach ${listed(silent.map((target) => target.what))}`);
    if (untried.length > 0) {
      yield warning(
        what,
        `could not be tried: the guest's shell did not say whether it reaches ${listed(untried.map((one) => one.what))}`,
        "try it by hand with two machines",
      );
    }
  } catch (error) {
    signal.throwIfAborted();
    yield warning(what, `could not be tried: ${wordsOf(error)}`, "try it by hand with two machines");
  }
}

/** What it said of each name. */
async function knockFrom(
  engine: Engine,
  from: MachineRef,
  targets: readonly Target[],
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
    const lines = [`cat >${script} <<'LESSOR'`, ...scriptFor(targets), "LESSOR", `bash ${script}; rm -f ${script}`];
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

const script = "/tmp/lessor-check";

/** Prints `name=reached` or `name=silent` for each. The shell shows what is typed as well; no line of that is one of these. */
function scriptFor([direct, routed, ...others]: readonly Target[]): string[] {
  const knock = (index: number, target: Target | undefined) =>
    target === undefined ? [] : [`knock t${index} ${target.ip} ${target.port}`];
  return [
    "export LC_ALL=C PATH=$PATH:/usr/local/bin:/usr/sbin:/sbin",
    "knock() {",
    `  said=silent why=$(timeout ${SILENCE_SECONDS} bash -c "exec 3<>/dev/tcp/$2/$3" 2>&1) && said=reached`,
    `  case $why in *refused*) said=reached ;; esac`,
    `  printf '%s=%s\n' "$1" "$said"`,
    "}",
    `knock own 127.0.0.1 ${sshPort}`,
    ...others.flatMap((target, index) => knock(index + 2, target).map((line) => `${line} &`)),
    ...knock(0, direct),
    // Around the bridge, by the default route: its gateway is in the kernel's table, the bytes of it turned around.
    "while read -r _ to by _; do",
    `  if [ "$to" = 00000000 ]; then g=$by; fi`,
    "done </proc/net/route",
    `via=$((16#\${g:6:2})).$((16#\${g:4:2})).$((16#\${g:2:2})).$((16#\${g:0:2}))`,
    ...(routed === undefined ? [] : [`if ip route replace ${routed.ip}/32 via "$via" 2>/dev/null; then`]),
    ...knock(1, routed),
    ...(routed === undefined ? [] : [`ip route del ${routed.ip}/32 2>/dev/null`, "fi"]),
    "wait",
    "printf 'all=%s\n' said",
  ];
}

/** Only whole lines count: what comes may be cut anywhere. */
function saidIn(shown: string): Map<string, string> {
  return new Map([...shown.matchAll(/^(\w+)=(\w+)\r?\n/gm)].map(([, name = "", said = ""]) => [name, said]));
}
