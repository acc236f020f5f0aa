// What the service learns from an engine's list, and what follows from the loss of a host. Used by play.ts. Written from
// the decisions (section 10) and the tables of hosts and moves.

import { limits } from "./scene.ts";
import {
  type Host,
  holds,
  type Instance,
  isLive,
  known,
  type Moment,
  type Move,
  secondHost,
  set,
  type World,
  withInstance,
} from "./world.ts";

/** The engine's list was looked at: which hosts take something new, who can be reached, and who was not for too long. */
export function swept(world: World, when: Moment): World {
  const seen = [...world.hosts].map(([name, host]): [string, Host] => [name, sweptHost(world, name, host)]);
  const hostsAfter = new Map(seen);
  const instances = [...world.instances].map(([id, before]): [string, Instance] => {
    const one = withoutLeftovers(world, before);
    const { alive, mode, unreachableSince } = known(hostsAfter, one.host);
    const counted = withDowntime(one, when);
    // What ended with its host is removed when that is reached again.
    if (!isLive(one)) return [id, mode === "lost" && alive && !holds(one) ? { ...counted, machine: "none" } : counted];
    const isUpAndOff = one.state === "active" && one.machine !== "on";
    const isStoppedAndGone = one.state === "stopped" && one.machine === "none" && one.activeAt !== undefined;
    if (alive) return [id, { ...reached(counted, when), astray: one.astray || isUpAndOff || isStoppedAndGone }];
    if (one.health === "unreachable" || unreachableSince === undefined) return [id, counted];
    return [id, { ...counted, health: "unreachable", unreachableSince }];
  });
  // What was held by a host that returns is looked at again after a while.
  const isFreed = ({ heldBy }: Instance) =>
    heldBy !== undefined && known(world.hosts, heldBy).mode === "lost" && known(hostsAfter, heldBy).mode !== "lost";
  const lags = world.lags || [...world.instances.values()].some(isFreed);
  return { ...world, lags, hosts: hostsAfter, instances: new Map(instances), sweptAt: when };
}

function sweptHost(world: World, name: string, host: Host): Host {
  const { unreachableSince, ...rest } = host;
  if (!host.alive) return { ...rest, available: false, unreachableSince: unreachableSince ?? world.sweptAt };
  const left = [...world.instances.values()].some(
    (one) => (one.host === name && !holds(one) && one.machine !== "none") || one.strays.includes(name),
  );
  // A lost one is cleaned first, and returns when nothing was found.
  const returns = host.mode === "lost" && !left;
  return { ...rest, available: true, mode: returns ? "cordoned" : host.mode };
}

/** Copies that no move expects are removed, and so is the second one of an instance that ended with its host. */
function withoutLeftovers(world: World, one: Instance): Instance {
  const strays = one.strays.filter((name) => !known(world.hosts, name).alive);
  const second = secondHost(one);
  const { move, ...others } = one;
  const isOver = !holds(one) && second !== undefined && known(world.hosts, second).alive;
  return isOver || move === undefined ? { ...others, strays } : { ...others, move, strays };
}

/** Whether the time that it has not been reached counts by now; of one that ended, until then. */
function withDowntime(one: Instance, when: Moment): Instance {
  const { unreachableSince: since, terminatedAt } = one;
  if (since === undefined) return one;
  const end = terminatedAt ?? when;
  const isLong = end.from - since.to > limits.downtimeToleranceSeconds;
  const mayBe = end.to - since.from > limits.downtimeToleranceSeconds;
  const isDown = one.isDown === "yes" || isLong ? "yes" : mayBe ? "perhaps" : one.isDown;
  const counted = { ...one, isDown } as const;
  return terminatedAt === undefined ? counted : reached(counted, terminatedAt);
}

function reached(one: Instance, to: Moment): Instance {
  const { unreachableSince: from, isDown, ...others } = one;
  const over = from === undefined || isDown === "no" ? [] : [{ from, to, isSure: isDown === "yes" }];
  return { ...others, health: "ok", isDown: "no", downtime: [...one.downtime, ...over] };
}

/** Its host was declared lost: all that is on it has ended, when the host was last reached. */
export function withoutHost(world: World, name: string, when: Moment): World {
  const host = known(world.hosts, name);
  const servedUntil = host.unreachableSince ?? when;
  const lost: Host = { ...host, mode: "lost", drains: null };
  let after: World = { ...world, hosts: set(world.hosts, name, lost) };
  for (const before of world.instances.values()) {
    const one = withoutMove(before, name, when);
    if (one.host !== name || !holds(one)) {
      after = { ...after, instances: set(after.instances, one.id, one) };
      continue;
    }
    const { stoppedFor: _, ...rest } = one;
    const ended = isLive(one) ? ({ endedBy: "host-lost", failed: true, endedAt: servedUntil } as const) : {};
    after = withInstance(after, {
      ...rest,
      ...ended,
      state: "terminated",
      since: when,
      terminatedAt: when,
      health: "ok",
    });
  }
  return after;
}

/** What the loss of a host makes of a move from it or to it. */
function withoutMove(one: Instance, name: string, when: Moment): Instance {
  const { move, ...others } = one;
  if (move === undefined || (move.from !== name && move.to !== name)) return one;
  const { phase, from, to } = move;
  const as = (next: Move["phase"]): Instance => ({ ...others, move: { phase: next, from, to } });
  if (name === from) {
    // What was copied from it is removed from the other.
    if (phase === "copying" || phase === "removing-target") return as("removing-target");
    return phase === "failed" ? others : { ...others, strays: [...one.strays, from] };
  }
  if (phase === "removing-source") return one;
  if (phase !== "moved") return as("failed");
  // It never started there: it returns to the copy that stayed.
  const wishedAt = one.state === "booting" ? when : one.wishedAt;
  return {
    ...as("failed"),
    ...(one.state === "stopped" ? {} : { heldBy: to }),
    host: from,
    machine: "off",
    wishedAt,
    since: when,
    settles: when,
    strays: [...one.strays, to],
  };
}
