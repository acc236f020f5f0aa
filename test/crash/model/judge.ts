// Whether some order explains all answers. Requests that were asked together may have happened in any order, and between
// them whatever the service does by itself; so from every world that is possible each order is tried, and what remains
// are the worlds that can be true. None: the service and the model differ.

import { isDeepStrictEqual } from "node:util";
import { type Expected, expected, isReplay, refusals } from "./answers.ts";
import { mayRest, nextOf } from "./next.ts";
import type { Made, Request, Seen } from "./requests.ts";
import { type Instance, isLive, known, type Moment, type World, withInstance } from "./world.ts";

/** One request, and what came of it. */
export interface Asked {
  readonly request: Request;
  readonly seen: Seen;
  readonly made: readonly Made[];
}

/** The worlds that can be true after these were answered, in one or another order. */
export function explain(worlds: readonly World[], asked: readonly Asked[], when: Moment): World[] {
  const found = new Map<string, World>();
  const tried = new Set<string>();
  const search = (world: World, left: readonly Asked[]): void => {
    const place = `${left.map((one) => asked.indexOf(one)).join()} ${keyOf(world, when.to)}`;
    if (tried.has(place)) return;
    tried.add(place);
    if (left.length === 0) return void add(found, world, when.to);
    for (const one of left) {
      const others = left.filter((each) => each !== one);
      for (const before of variants(world, concernedBy(one.request), when.to)) {
        for (const after of afterOne(before, one, asked, when)) search(after, others);
      }
    }
  };
  for (const world of worlds) search(world, asked);
  return [...found.values()];
}

/** The worlds after one request, if it is answered as it should be. */
function afterOne(world: World, one: Asked, asked: readonly Asked[], when: Moment): World[] {
  const { request, seen, made } = one;
  const answer = expected(world, request, when, made);
  if (seen === undefined) {
    // Nobody knows whether it happened; but what it would have made is there or not.
    if ("refused" in answer) return made.length > 0 ? [] : [world];
    return makes.has(request.op) ? [made.length > 0 ? answer.world : world] : [world, answer.world];
  }
  if (seen.code === "idempotency/in-progress") return seen.status === 409 && hasTwin(one, asked) ? [world] : [];
  if (!fits(world, request, answer, seen, when)) return [];
  return ["refused" in answer ? world : answer.world];
}

const makes: ReadonlySet<Request["op"]> = new Set(["launch", "add-key", "create-file-system"] as const);

function fits(world: World, request: Request, answer: Expected, seen: NonNullable<Seen>, when: Moment): boolean {
  if ("refused" in answer) {
    return answer.refused.some((refusal) => {
      const [code, status, reference = status] = refusals[refusal];
      const isReference = "via" in request && request.via === "R";
      return seen.code === code && seen.status === (isReference ? reference : status);
    });
  }
  if (seen.code !== undefined || seen.status !== statusOf(request)) return false;
  if (seen.replayed !== isReplay(world, request, when)) return false;
  return answer.fits?.(seen.shows) ?? isDeepStrictEqual(seen.shows, answer.shows);
}

/** Of a success. */
function statusOf(request: Request): number {
  if (request.op === "change" && request.via !== "R") return 202;
  return request.op === "launch" && request.via === "D" ? 202 : 200;
}

/** Whether another request under the same key may have been under way. */
function hasTwin(one: Asked, asked: readonly Asked[]): boolean {
  const place = ({ request }: Asked) => ("who" in request ? `${request.who.account} ${request.key}` : undefined);
  return one.request.key !== undefined && asked.some((other) => other !== one && place(other) === place(one));
}

/** What was expected of a request, and what came, for who reads of a difference. */
export function differenceOf(world: World, { request, seen, made }: Asked, when: Moment): string {
  const answer = expected(world, request, when, made);
  const right =
    "refused" in answer
      ? `refused: ${answer.refused.join(" or ")}`
      : `${statusOf(request)} ${JSON.stringify(answer.shows)}`;
  const came = seen === undefined ? "no answer" : `${seen.status} ${seen.code ?? JSON.stringify(seen.shows)}`;
  return `${JSON.stringify(request)}\n      came:     ${came}${seen?.replayed ? " (replayed)" : ""}\n      expected: ${right}`;
}

/** All worlds at rest: whatever happens by itself has happened. While something may keep it from that, it happens later. */
export function atRest(worlds: readonly World[], now: number): World[] {
  const settled = new Map<string, World>();
  for (const world of worlds) {
    const ends = world.lags ? [world] : combined(world, (one) => endsOf(world, one, now)).map(forgetLateStarts);
    for (const end of ends) add(settled, end, now);
  }
  return [...settled.values()];
}

function endsOf(world: World, one: Instance, now: number): Instance[] {
  const ways = waysOf(world, one, now, (way) => keyOfOne(way, now));
  return ways.filter((way) => mayRest(world, way, now));
}

function forgetLateStarts(world: World): World {
  const instances = [...world.instances].map(([id, one]): [string, Instance] => [id, { ...one, lateStart: false }]);
  return { ...world, instances: new Map(instances) };
}

const givesBack = (one: Instance) => !isLive(one) || one.state === "booting" || one.move !== undefined;

/** Whom a request sees or moves: what happens to others by itself may as well happen later. */
function concernedBy(request: Request): (one: Instance) => boolean {
  switch (request.op) {
    case "launch":
    case "offers":
    case "coupon":
    case "hosts":
    case "account":
    case "file-systems":
    case "delete-file-system":
      // Only an end, and a move that is over, gives something back.
      return givesBack;
    case "move": {
      const id = request.id.replaceAll("-", "").toLowerCase();
      return (one) => givesBack(one) || one.id.replaceAll("-", "") === id;
    }
    case "change": {
      const ids = new Set(request.ids.map((id) => id.replaceAll("-", "").toLowerCase()));
      return ({ id }) => ids.has(id.replaceAll("-", ""));
    }
    case "read":
      return ({ id }) => id.replaceAll("-", "") === request.id.replaceAll("-", "").toLowerCase();
    case "list":
    case "usage":
      return ({ account }) => account === request.who.account;
    case "all-instances":
      return () => true;
    default:
      return () => false;
  }
}

/** The world, and every one that it may have become by itself, as far as these show it: the rest may as well come later. */
function variants(world: World, which: (one: Instance) => boolean, now: number): World[] {
  return combined(world, (one) => (which(one) ? waysOf(world, one, now, lookOf) : [one]));
}

/** The world, and every one that it may have become by itself, to the last detail. */
export function expanded(world: World, now: number): World[] {
  return combined(world, (one) => waysOf(world, one, now, (way) => keyOfOne(way, now)));
}

function combined(world: World, waysFor: (one: Instance) => Instance[]): World[] {
  let worlds = [world];
  for (const one of world.instances.values()) {
    const ways = waysFor(one);
    if (ways.length === 1 && ways[0] === one) continue;
    worlds = worlds.flatMap((each) => ways.map((way) => withInstance(each, way)));
  }
  return worlds;
}

/** The instance, and everything that it may become by itself: of those that are alike, the one that comes first. */
function waysOf(world: World, one: Instance, now: number, likeness: (way: Instance) => string): Instance[] {
  const found = new Map([[likeness(one), one]]);
  const tried = new Set<string>();
  const queue = [one];
  for (let way = queue.shift(); way !== undefined; way = queue.shift()) {
    const key = keyOfOne(way, now);
    if (tried.has(key)) continue;
    tried.add(key);
    if (!found.has(likeness(way))) found.set(likeness(way), way);
    queue.push(...nextOf(world, way, now));
  }
  return [...found.values()];
}

const lookOf = ({ state, health, failed, host, move }: Instance) =>
  `${state} ${health} ${failed} ${host} ${move?.phase}`;

/** Of two that differ in nothing but what is known of times, one is enough: with what both allow. */
function add(worlds: Map<string, World>, world: World, now: number): void {
  const key = keyOf(world, now);
  const same = worlds.get(key);
  worlds.set(key, same === undefined ? world : { ...world, instances: merged(world, same) });
}

function merged(one: World, other: World): ReadonlyMap<string, Instance> {
  const both = (a: Moment, b: Moment) => ({ from: Math.min(a.from, b.from), to: Math.max(a.to, b.to) });
  const entries = [...one.instances].map(([id, instance]): [string, Instance] => {
    const twin = known(other.instances, id);
    const times = moments.flatMap((name) => {
      const [a, b] = [instance[name], twin[name]];
      return a === undefined || b === undefined ? [] : [[name, both(a, b)]];
    });
    return [id, { ...instance, ...Object.fromEntries(times) }];
  });
  return new Map(entries);
}

const moments = [
  ...(["since", "settles", "wishedAt", "activeAt", "billedAt", "endedAt", "terminatedAt"] as const),
  "unreachableSince",
  "pausedFrom",
] as const;

function keyOf(world: World, now: number): string {
  const instances = [...world.instances.values()].map((one) => keyOfOne(one, now)).sort();
  const accounts = [...world.accounts.values()].map((one) => JSON.stringify(one));
  const hosts = [...world.hosts.values()].map((one) => JSON.stringify(one));
  const coupons = [...world.coupons.values()].map(({ percent, active }) => `${percent} ${active}`);
  const fileSystems = [...world.fileSystems].map(([id, { attachedTo }]) => `${id} ${attachedTo}`).sort();
  const kept = [...world.kept].map(([place, { print, at }]) => `${place} ${print} ${at.from}`).sort();
  const keys = [...world.keys.keys()].sort();
  return [instances, accounts, hosts, [...world.cents.values()], coupons, fileSystems, kept, keys].join("|");
}

/** Times that are minutes apart make a difference: bills tell them. */
function keyOfOne(one: Instance, now: number): string {
  const { id, state, machine, settles, lateStart, astray, health, isDown, failed, cents, percent } = one;
  const { host, move, strays, stoppedFor, heldBy } = one;
  const times = [one.activeAt, one.billedAt, one.endedAt, one.terminatedAt, one.pausedFrom];
  const minutes = times.map((moment) => moment && Math.round(moment.from / 60));
  return [
    id,
    state,
    machine,
    settles.from <= now,
    lateStart,
    astray,
    health,
    isDown,
    failed,
    cents,
    percent,
    host,
    move?.phase,
    move?.to,
    strays.join("+"),
    stoppedFor?.nth,
    heldBy,
    ...minutes,
  ].join();
}
