// What happens to an instance by itself: its machine boots, halts, moves and is removed. Used by judge.ts, which goes
// through everything that an instance may have become, and by play.ts through it. Written from the decisions
// (sections 2 to 4) and the tables of moves.

import { limits } from "./scene.ts";
import { type Instance, isLive, known, type Moment, secondHost, type World } from "./world.ts";

/** What may become of an instance next by itself; nothing: it is at rest until time passes or somebody wishes. */
export function nextOf(world: World, one: Instance, now: number): Instance[] {
  const { alive } = known(world.hosts, one.host);
  const when = { from: Math.max(one.since.from, Math.min(one.settles.from, now)), to: now };
  const hasSettled = one.settles.from <= now;
  const isOverdue = now - one.wishedAt.from > limits.bootDeadlineSeconds;
  const turned = (machine: "on" | "off", seconds = world.seconds): Instance => {
    const settles = { from: one.since.from + seconds, to: now + seconds };
    return { ...one, machine, settles, since: when, lateStart: false };
  };
  // What was up once, and is not there any more, is gone with its data.
  const isGone = one.activeAt !== undefined && one.machine === "none" && alive && isLive(one);
  if (isGone && (one.astray || one.state === "booting" || one.state === "stopping")) return [ended(one, when)];
  if (one.move?.phase === "copying" && (one.state === "booting" || one.state === "stopped")) {
    const copied = copyOf(world, one, when);
    return copied.length === 0 && one.state === "booting" && isOverdue ? [failed(one, when)] : copied;
  }
  switch (one.state) {
    case "booting":
      if (!alive) return isOverdue ? [failed(one, when)] : [];
      if (isHeld(world, one) && one.machine !== "on") return isOverdue ? [failed(one, when)] : [];
      // A boot that takes time is over its deadline as soon as it is begun.
      if (one.machine !== "on") return [isOverdue && world.seconds > 0 ? failed(turned("on"), when) : turned("on")];
      if (hasSettled) return [{ ...arrived(billed(one, when)), state: "active", activeAt: one.activeAt ?? when }];
      return isOverdue ? [failed(one, when)] : [];
    case "stopping": {
      if (!alive) return [];
      if (one.machine === "on") return [turned("off")];
      const late = one.lateStart ? [turned("on")] : [];
      if (one.machine === "none") return [turned("off", 0), ...late];
      return hasSettled ? [{ ...billed(one, when), state: "stopped", lateStart: false }, ...late] : late;
    }
    case "active":
      if (!alive) return [];
      return one.astray ? [{ ...one, state: "stopped", since: when, astray: false }] : withoutCopy(world, one);
    case "stopped":
      if (!alive) return [];
      return one.machine === "on" ? [turned("off")] : withoutCopy(world, one);
    case "terminating": {
      // On both hosts of a move nothing may be left.
      if (!alive || !isSecondAlive(world, one)) return [];
      const { move: _, ...over } = one;
      return [{ ...over, state: "terminated", since: when, terminatedAt: when, machine: "none", health: "ok" }];
    }
    default:
      return [];
  }
}

/** Whether it may stay as it is, once whatever is to be done has been done. */
export function mayRest(world: World, one: Instance, now: number): boolean {
  const waits =
    (one.state === "booting" && one.machine === "on") || (one.state === "stopping" && one.machine === "off");
  return nextOf(world, one, now).length === 0 || (waits && one.settles.to > now);
}

/** While its disk is copied it does not start; what runs nevertheless has another disk than the copy. */
function copyOf(world: World, one: Instance, when: Moment): Instance[] {
  const { move, state } = one;
  if (move === undefined || !known(world.hosts, one.host).alive) return [];
  if (one.machine === "on") return [{ ...one, move: { ...move, phase: "removing-target" } }];
  if (!known(world.hosts, move.to).alive) return [];
  // A boot has its whole time on the new host.
  const wishedAt = state === "booting" ? when : one.wishedAt;
  return [{ ...one, host: move.to, since: when, settles: when, wishedAt, move: { ...move, phase: "moved" } }];
}

/** Whether it may still run on a lost host. */
export function isHeld(world: World, { heldBy }: Instance): boolean {
  return heldBy !== undefined && known(world.hosts, heldBy).mode === "lost";
}

/** It was ready on its new host. */
function arrived(one: Instance): Instance {
  return one.move?.phase === "moved" ? { ...one, move: { ...one.move, phase: "removing-source" } } : one;
}

/** The copy that is not the machine is removed. */
function withoutCopy(world: World, one: Instance): Instance[] {
  const { move, ...others } = one;
  if (move === undefined || !isSecondAlive(world, one)) return [];
  if (move.phase === "removing-source") return [others];
  return move.phase === "removing-target" ? [{ ...others, move: { ...move, phase: "failed" } }] : [];
}

function isSecondAlive(world: World, one: Instance): boolean {
  const host = secondHost(one);
  return host === undefined || known(world.hosts, host).alive;
}

/** What was never up is removed; what was is kept. */
function failed(one: Instance, when: Moment): Instance {
  return one.activeAt === undefined ? ended(one, when) : { ...one, state: "stopped", failed: true, since: when };
}

function billed(one: Instance, when: Moment): Instance {
  return { ...one, since: when, billedAt: one.billedAt ?? when };
}

function ended(one: Instance, when: Moment): Instance {
  return { ...one, state: "terminating", failed: true, endedBy: "failure", endedAt: when, since: when };
}
