// `flapping`: a server with 1,000 libvirt hosts, of which 50 lose their connection and get it again all the time. What
// that costs, and how long each change takes until it is an event. As `hosts`, with sockets between that can be cut
// (peers/flapping-sockets.ts).

import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { shown } from "../output.ts";
import { FlappingSocket } from "../peers/flapping-sockets.ts";
import { type LibvirtHosts, uriOf } from "../peers/libvirt.ts";
import type { Service } from "../service/service.ts";
import { figureOf, percentile } from "../statistics.ts";
import type { Result } from "../verdict.ts";
import { allFound, startWithHosts } from "./hosts.ts";

const FLAPPING = 50;
/** Each is cut for so long, and joined for so long. */
const HALF_PERIOD_MS = 20_000;

interface Change {
  /** The host's number. */
  readonly host: number;
  readonly state: "up" | "unreachable";
  /** Milliseconds since 1970. */
  readonly at: number;
}

export async function flapping(bench: Bench): Promise<Result> {
  const { effort } = bench;
  if (!effort.largeWorld) return { name: "flapping", missing: "left out of --quick: run bench:scale" };
  const sockets: FlappingSocket[] = [];
  const started = await startWithHosts(bench, "flapping", (libvirt) => withSockets(bench, libvirt, sockets));
  if ("missing" in started) return { name: "flapping", missing: started.missing };
  const { service, libvirt } = started;
  const stop = new AbortController();
  const changes: Change[] = [];
  const flaps = sockets.map((socket, host) => flap(socket, host, changes, stop.signal));
  const figures = await watched(service, effort.watchSeconds);
  stop.abort();
  await Promise.all(flaps);
  await allFound(service);
  const waits = await waitsOf(changes, service);
  await service.down();
  await libvirt[Symbol.asyncDispose]();
  return {
    name: "flapping",
    // The longest, not the median: each change has to be seen.
    figures: { ...figures, seen: { ...figureOf(waits), median: Math.max(...waits) } },
    notes: [
      `${FLAPPING} hosts, each cut and joined for ${HALF_PERIOD_MS / 1000} s in turn, for ${shown(effort.watchSeconds)} s: ${waits.length} changes`,
      `until a change is an event: ${shown(percentile(waits, 50))} s (p50), ${shown(percentile(waits, 95))} s (p95)`,
      "cut: connections are closed, and new ones refused; a host that falls silent is found by signs of life, after 20 s",
    ],
  };
}

/** The URIs of all hosts, some of them behind sockets that can be cut. */
async function withSockets(
  bench: Bench,
  { uris, socket }: LibvirtHosts,
  sockets: FlappingSocket[],
): Promise<readonly string[]> {
  const paths = uris.slice(0, FLAPPING).map((_, host) => join(dirname(socket), `flapping-${host}.sock`));
  for (const path of paths) {
    const one = new FlappingSocket(path, socket);
    bench.own(one);
    await one.join();
    sockets.push(one);
  }
  return [...paths.map(uriOf), ...uris.slice(FLAPPING)];
}

async function watched(service: Service, seconds: number) {
  const [before, began] = [await service.cpuSecondsWithEnded(), performance.now()];
  let mostMb = 0;
  while (performance.now() - began < seconds * 1000) {
    mostMb = Math.max(mostMb, await service.proportionalMb());
    await sleep(5000);
  }
  const elapsed = (performance.now() - began) / 1000;
  const cpu = (100 * ((await service.cpuSecondsWithEnded()) - before)) / elapsed;
  return { CPU: figureOf([cpu]), memory: figureOf([mostMb]) };
}

/** Cuts and joins it until the signal aborts, and joins it at the end. Hosts begin one after the other. */
async function flap(socket: FlappingSocket, host: number, changes: Change[], signal: AbortSignal): Promise<void> {
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined);
  await pause((2 * HALF_PERIOD_MS * host) / FLAPPING);
  while (!signal.aborted) {
    await socket.cut();
    changes.push({ host, state: "unreachable", at: Date.now() });
    await pause(HALF_PERIOD_MS);
    await socket.join();
    changes.push({ host, state: "up", at: Date.now() });
    await pause(HALF_PERIOD_MS);
  }
}

/**
 * Seconds from each change that lasted until its event. One without an event before the next change was not seen, and
 * counts as seen at that.
 */
async function waitsOf(changes: readonly Change[], service: Service): Promise<number[]> {
  const seen = await service.query<{ name: string; state: string; at: Date }>(`
    select data ->> 'name' as name, data ->> 'state' as state, created_at as at from events
    where type = 'host.state_changed' order by position`);
  return changes.flatMap(({ host, state, at }) => {
    const next = changes.find((later) => later.host === host && later.at > at)?.at;
    // The last one of a host was cut short.
    if (next === undefined || next - at < 0.9 * HALF_PERIOD_MS) return [];
    const event = seen.find((one) => one.name === `host-${host}` && one.state === state && one.at.getTime() >= at);
    return [(Math.min(event?.at.getTime() ?? next, next) - at) / 1000];
  });
}
