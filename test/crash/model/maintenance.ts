// Maintenance of hosts, and hosts that are emptied: what the service's jobs do with instances. Used by play.ts, which runs
// the jobs when everything is at rest. Written from the decisions (section 10) and the table of maintenance modes.

import { hosts } from "./scene.ts";
import {
  fitsOn,
  type Instance,
  inOrder,
  known,
  type Maintenance,
  type Moment,
  set,
  type World,
  withInstance,
} from "./world.ts";

/** A window of maintenance begins on a host. */
export function begun(world: World, name: string, maintenance: Omit<Maintenance, "before">): World {
  const host = known(world.hosts, name);
  const begins = { ...host, mode: "maintenance", maintenance: { ...maintenance, before: host.mode } } as const;
  return { ...world, hosts: set(world.hosts, name, begins) };
}

/** The maintenance of a host ends: it is as it was before, unless it was lost meanwhile. */
export function over(world: World, name: string): World {
  const { maintenance, ...host } = known(world.hosts, name);
  if (maintenance === undefined) return world;
  const { before } = maintenance;
  if (host.mode !== "maintenance") return { ...world, hosts: set(world.hosts, name, host) };
  const drains = before === "draining" ? (host.drains ?? "wait") : null;
  return { ...world, hosts: set(world.hosts, name, { ...host, mode: before, drains }) };
}

/** The job that runs maintenance windows: ends those that are due, stops what is to stop, and starts it again. */
export function afterWindows(world: World, when: Moment): World {
  let after = world;
  for (const [name, { maintenance, mode }] of world.hosts) {
    const isOver = maintenance !== undefined && (maintenance.ends.to < when.from || mode !== "maintenance");
    if (isOver) after = over(after, name);
  }
  for (const one of after.instances.values()) {
    const stopped = stoppedBy(after, one, when);
    after = withInstance(after, pausedBy(stopped));
  }
  for (const one of after.instances.values()) {
    if (one.state !== "stopped" || !isReleased(after, one) || keepsStopped(after, one.host)) continue;
    after = withInstance(after, {
      ...goesOn(one, when),
      state: "booting",
      since: when,
      wishedAt: when,
      failed: false,
      astray: false,
      lateStart: true,
    });
  }
  return after;
}

/** Whether a restart is refused, because of maintenance of the host. */
export function keepsStopped(world: World, host: string): boolean {
  const { maintenance } = known(world.hosts, host);
  return maintenance !== undefined && maintenance.mode !== "nothing";
}

/** An action on it: it is billed again, and does not start by itself when the maintenance is over. */
export function goesOn(one: Instance, when: Moment): Instance {
  const { stoppedFor: _, pausedFrom, ...rest } = one;
  const paused = pausedFrom === undefined ? [] : [{ from: pausedFrom, to: when, isSure: true }];
  return { ...rest, downtime: [...one.downtime, ...paused] };
}

function stoppedBy(world: World, one: Instance, when: Moment): Instance {
  const { maintenance } = known(world.hosts, one.host);
  const mayRun = one.state === "booting" || one.state === "active";
  if (maintenance === undefined || !mayRun || !keepsStopped(world, one.host)) return one;
  const stoppedFor = { host: one.host, nth: maintenance.nth };
  const stopped = {
    ...goesOn(one, when),
    state: "stopping",
    since: when,
    wishedAt: when,
    failed: false,
    astray: false,
  } as const;
  return { ...stopped, stoppedFor, ...(one.billedAt !== undefined && { pausedFrom: when }) };
}

/** What was never active is billed once it has stopped, and paused from then on when the job runs again. */
function pausedBy(one: Instance): Instance {
  const begins = one.stoppedFor !== undefined && one.pausedFrom === undefined && one.billedAt !== undefined;
  return begins && one.endedAt === undefined ? { ...one, pausedFrom: one.billedAt } : one;
}

/** Whether what stopped it is over, or it has left that host. */
function isReleased(world: World, { stoppedFor, host }: Instance): boolean {
  if (stoppedFor === undefined) return false;
  return stoppedFor.host !== host || known(world.hosts, host).maintenance?.nth !== stoppedFor.nth;
}

/** The job that empties hosts: stopped instances begin to move as far as there is room, each of them once. */
export function afterEmptying(world: World): World {
  let after = world;
  for (const one of inOrder(world, ({ state }) => state === "stopped")) {
    const { available, mode, drains, maintenance } = known(after.hosts, one.host);
    const isEmptied = (mode === "draining" && drains === "move") || maintenance?.mode === "move";
    if (!isEmptied || !available || one.health !== "ok" || one.move !== undefined) continue;
    const to = otherHostOf(one.host);
    if (to === undefined || fitsOn(after, to, one.type) < 1) continue;
    after = withInstance(after, { ...one, move: { phase: "copying", from: one.host, to } });
  }
  return after;
}

/** Of the same region: no region of the scene has more than two. */
export function otherHostOf(name: string): string | undefined {
  return Object.keys(hosts).find((other) => other !== name && known(hosts, other).region === known(hosts, name).region);
}
