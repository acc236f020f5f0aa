import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { type Knocks, scriptFor } from "./isolation-script.ts";

// This machine's routes stay as they are, and whether something listens at its port 22 is of no interest: what refuses
// is reached as well.
const withoutIp = "ip() { return 1; }";
const own = { ip: "127.0.0.1", port: 22 };
const over: (() => void)[] = [];
afterAll(() => {
  for (const end of over) end();
});

/** What the script prints in a real shell, with this put before it. While it runs, this process accepts no connection. */
function run(knocks: Knocks, before = "", edited = (script: string) => script) {
  const folder = mkdtempSync(join(tmpdir(), "lessor-"));
  over.push(() => rmSync(folder, { recursive: true }));
  // As it is, but for its patience.
  const script = scriptFor(knocks, folder).join("\n").replace("read -r -t 6 ", "read -r -t 1 ");
  const input = [withoutIp, before, edited(script)].join("\n");
  const { stdout, stderr } = spawnSync("bash", { input, encoding: "utf8" });
  return { said: stdout.trimEnd().split("\n").sort(), stderr };
}

async function listener(connections: number): Promise<{ ip: string; port: number }> {
  const server = createServer();
  over.push(() => server.close());
  await new Promise<void>((resolve) => server.listen({ port: 0, host: "127.0.0.1", backlog: connections }, resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("BUG: no port");
  return { ip: "127.0.0.1", port: address.port };
}

/** Nothing comes back from there: its kernel has as many connections waiting as it may, as long as none is accepted. */
async function silent() {
  const address = await listener(1);
  // Linux lets one more wait than it is told.
  const connections = [3, 4].map((fd) => `exec ${fd}<>/dev/tcp/127.0.0.1/${address.port}`);
  const fill = () => spawnSync("bash", ["-c", connections.join("\n")]);
  return { address, fill };
}

/** Shows on stderr each connection that is begun. */
const shown = `exec 5>&2; printf() { case $1 in *begun*) builtin echo "$2" >&5 ;; esac; builtin printf "$@"; }`;

it("what answers is told from what is silent, and what refuses answers", async () => {
  const open = await listener(10);
  const { address, fill } = await silent();
  fill();
  const direct = { own, control: open, t0: address, t2: { ip: "127.0.0.1", port: 1 } };
  expect(run({ direct, control: "control", routed: { t1: own } }).said).toEqual([
    "all=said",
    "control=reached",
    "own=reached",
    "t0=silent",
    "t2=reached",
  ]);
});

it("thirty at once in a guest that takes longer to begin than a target may be silent are told all the same", async () => {
  const open = await listener(50);
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`t${index}`, open]));
  const slow = `printf() { case $1 in *begun*) sleep 1.5 ;; esac; builtin printf "$@"; }`;
  const { said } = run({ direct: { own, ...many }, control: "t29", routed: {} }, slow);
  expect(said.filter((line) => /^t\d+=reached$/.test(line))).toHaveLength(30);
});

it("what never begins is told neither as reached nor as silent", () => {
  const lost = (script: string) =>
    script.replace("-t 1 ", "-t 0.1 ").replace("\ntry() {", `\ntry() {\n  if [ "$1" = t0 ]; then exit; fi`);
  const { said } = run({ direct: { own, t0: own }, control: undefined, routed: {} }, "", lost);
  expect(said).toEqual(["all=said", "own=reached"]);
});

it("where what must answer is silent, all that was silent is tried once more, and no more than that", async () => {
  const open = await listener(10);
  const { address, fill } = await silent();
  fill();
  const direct = { own, control: address, t0: open, t2: address };
  const { said, stderr } = run({ direct, control: "control", routed: {} }, shown);
  expect(said).toEqual(["all=said", "control=silent", "own=reached", "t0=reached", "t2=silent"]);
  const names = stderr.split("\n").filter((line) => /^(own|control|t\d)$/.test(line));
  expect(names.sort()).toEqual(["control", "control", "own", "t0", "t2", "t2"]);
});
