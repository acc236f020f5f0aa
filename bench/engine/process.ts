// The machines of the external engine: a process that answers every call at once, from its memory. It is what a launch is
// measured with, because it takes nothing of the service's database. Started by service.ts; its machines end with it.
// Run as: process.ts <path of its Unix socket> <the world's hosts, as JSON>

import { createServer } from "node:net";
import type { MachineRef, MachineReport } from "../../src/engines/engine.ts";
import { hostsOf } from "../worlds/hosts.ts";
import { type Call, type CallResult, eachLine } from "./protocol.ts";

const [path, groups = "[]"] = process.argv.slice(2);
const hosts = hostsOf(JSON.parse(groups));
const machines = new Map<string, MachineReport>();
let addresses = 0;

function resultOf(call: Call): CallResult["gives"] {
  switch (call.name) {
    case "hosts":
      return hosts;
    case "list":
      return [...machines.values()];
    case "create":
      return machines.get(call.takes.id) ?? become(call.takes, "halted");
    case "start":
      return become(call.takes, "running");
    case "stop":
      return become(call.takes, "halted");
    case "remove":
      machines.delete(call.takes.id);
      return null;
    case "inspect":
      return machines.get(call.takes.id) ?? null;
  }
}

/** Boots and stops in no time. */
function become({ id, host }: MachineRef, power: "running" | "halted"): MachineReport {
  const isUp = power === "running";
  const ip = isUp ? nextAddress() : undefined;
  const machine: MachineReport = { id, host, power, usable: isUp, ip, progress: undefined };
  machines.set(id, machine);
  return machine;
}

function nextAddress(): string {
  addresses += 1;
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
}

createServer((socket) => {
  eachLine(socket, (line) => {
    const call = line as Call; // its only client is engine.ts
    // What comes in one turn goes out as one write.
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    socket.write(`${JSON.stringify({ number: call.number, gives: resultOf(call) } satisfies CallResult)}\n`);
  });
  socket.on("error", () => {}); // the service was stopped
}).listen(path);
