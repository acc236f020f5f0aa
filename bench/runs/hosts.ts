// `hosts`: the cost of a server with 1,000 libvirt hosts at rest. It is the real program with its settings, and connects
// to a real libvirt daemon through a socket for each host (peers/libvirt.ts). CPU and memory are those of the server and
// of all processes that it starts, also of those that have ended; the daemon is the hosts', and is left out.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { shown } from "../output.ts";
import { type LibvirtHosts, startLibvirtHosts } from "../peers/libvirt.ts";
import type { NoPeer } from "../peers/missing.ts";
import { serverProcesses } from "../service/process-figures.ts";
import { Service } from "../service/service.ts";
import { figureOf } from "../statistics.ts";
import type { Result } from "../verdict.ts";
import { lastResync } from "../worlds/settle.ts";

export const HOSTS = 1000;
const WINDOWS = 3;
/** Hosts have been found, and what their start has left is gone. */
export const CALM_SECONDS = 20;
const FOUND_WITHIN_SECONDS = 600;
export const engine = "metal";

export async function hosts(bench: Bench): Promise<Result> {
  const { effort } = bench;
  if (!effort.largeWorld) return { name: "hosts", missing: "left out of --quick: run bench:scale" };
  const started = await startWithHosts(bench, "hosts", async ({ uris }) => uris);
  if ("missing" in started) return { name: "hosts", missing: started.missing };
  const { service, libvirt, foundSeconds } = started;
  const result = await measured(service, libvirt, effort.watchSeconds, foundSeconds);
  await service.down();
  await libvirt[Symbol.asyncDispose]();
  return result;
}

/** The server and its hosts, all found. `uris`: the hosts' URIs of those that lead to the daemon. */
export async function startWithHosts(
  bench: Bench,
  name: string,
  uris: (libvirt: LibvirtHosts) => Promise<readonly string[]>,
): Promise<{ service: Service; libvirt: LibvirtHosts; foundSeconds: number } | NoPeer> {
  await bench.pauseStages();
  const directory = join(bench.directory, name);
  await mkdir(join(directory, "libvirt"), { recursive: true, mode: 0o711 });
  const libvirt = await startLibvirtHosts(join(directory, "libvirt"), HOSTS);
  if ("missing" in libvirt) return libvirt;
  bench.own(libvirt);
  const began = performance.now();
  const service = await Service.start({
    directory,
    nodeOptions: [...bench.nodeOptions, `--import=${join(import.meta.dirname, "../service/no-verification.ts")}`],
    settings: { libvirt: [{ name: engine, accelerator: "emulated", hosts: hostSettings(await uris(libvirt)) }] },
  });
  bench.own(service);
  await allFound(service);
  const foundSeconds = (performance.now() - began) / 1000;
  await sleep(CALM_SECONDS * 1000);
  return { service, libvirt, foundSeconds };
}

async function measured(
  service: Service,
  libvirt: LibvirtHosts,
  seconds: number,
  foundSeconds: number,
): Promise<Result> {
  const [cpu, memory]: [number[], number[]] = [[], []];
  const resyncs = new Set([await lastResync(service, engine)]);
  for (let window = 0; window < WINDOWS; window++) {
    const before = [await service.cpuSecondsWithEnded(), performance.now()] as const;
    const end = performance.now() + (seconds * 1000) / WINDOWS;
    let mostMb = 0;
    while (performance.now() < end) {
      mostMb = Math.max(mostMb, await service.proportionalMb());
      resyncs.add(await lastResync(service, engine));
      await sleep(5000);
    }
    const elapsed = (performance.now() - before[1]) / 1000;
    cpu.push((100 * ((await service.cpuSecondsWithEnded()) - before[0])) / elapsed);
    memory.push(mostMb);
  }
  const [connections, available, processes] = [
    await libvirt.connections(),
    await availableHosts(service),
    (await serverProcesses(service.pid)).length,
  ];
  const resynced = resyncs.size - 1;
  if (resynced === 0)
    throw new Error("the hosts were never resynced meanwhile: this was no server at its ordinary rest");
  if (connections < HOSTS) throw new Error(`only ${connections} of ${HOSTS} hosts were connected`);
  if (available < HOSTS) throw new Error(`only ${available} of ${HOSTS} hosts were available at the end`);
  return {
    name: "hosts",
    figures: {
      // The mean of the windows, not the median: resyncs are part of it, and a window may have none.
      CPU: { ...figureOf(cpu), median: cpu.reduce((sum, one) => sum + one, 0) / cpu.length },
      memory: figureOf(memory),
    },
    notes: [
      `watched for ${WINDOWS} × ${shown(seconds / WINDOWS)} s, with ${resynced} full resyncs in it; ${connections} connections; processes: ${processes}; all hosts available ${shown(foundSeconds)} s after the start`,
      "memory: the most of each window, what processes share counted once (Pss)",
      "the hosts are one machine and one daemon (libvirt's QEMU driver, local sockets), without guests; the guest that each host boots at start for verification is left out",
    ],
  };
}

function hostSettings(uris: readonly string[]): unknown[] {
  return uris.map((uri, index) => ({ name: `host-${index}`, region: "north", uri }));
}

export async function allFound(service: Service): Promise<void> {
  const deadline = performance.now() + FOUND_WITHIN_SECONDS * 1000;
  while ((await availableHosts(service)) < HOSTS) {
    if (performance.now() > deadline) {
      throw new Error(`only ${await availableHosts(service)} of ${HOSTS} hosts became available`);
    }
    await sleep(500);
  }
}

async function availableHosts(service: Service): Promise<number> {
  const [row] = await service.query<{ count: number }>(
    "select count(*)::integer as count from hosts where engine = $1 and available",
    [engine],
  );
  return row?.count ?? 0;
}
