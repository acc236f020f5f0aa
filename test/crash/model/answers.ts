// The model's other half: what a request must be answered in a world, and the world that it leads to. Written from the
// specification and the decisions (sections 2 to 7); what a refusal's status is in each variant stands here too.

import { goesOn, keepsStopped, otherHostOf } from "./maintenance.ts";
import { isHeld } from "./next.ts";
import { type Made, namesOf, type Request, type RequestOf, type Via, type Who } from "./requests.ts";
import {
  type Customer,
  coupons,
  defaultImage,
  hosts,
  images,
  limits,
  type QuotaName,
  regions,
  types,
} from "./scene.ts";
import { isVisible, operationWords, readWords, shown, soldAt, usageOf } from "./shown.ts";
import {
  accepts,
  fitsIn,
  fitsOn,
  type Host,
  type Instance,
  inOrder,
  isLive,
  known,
  type Moment,
  roomOn,
  type State,
  set,
  usedBy,
  type World,
  withInstance,
} from "./world.ts";

/** Code, status, and R's status where that is another. */
export const refusals = {
  revoked: ["global/invalid-api-key", 401],
  inactive: ["global/account-inactive", 403],
  forbidden: ["global/forbidden", 403],
  invalid: ["global/invalid-parameters", 400],
  "unknown name": ["global/object-does-not-exist", 400],
  "unknown object": ["global/object-does-not-exist", 404],
  "unknown key": ["global/object-does-not-exist", 404, 400],
  "no capacity": ["instance-operations/launch/insufficient-capacity", 409, 400],
  "not stopped": ["instance-operations/restart/instance-not-stopped", 409, 400],
  terminated: ["instance-operations/stop/instance-terminated", 409, 400],
  duplicate: ["global/duplicate", 409, 400],
  conflict: ["global/conflict", 409, 400],
  quota: ["global/quota-exceeded", 403, 400],
  "key reused": ["idempotency/key-reused", 422],
} as const satisfies Record<string, readonly [code: string, status: number, reference?: number]>;
export type Refusal = keyof typeof refusals;

/** Any one of the refusals; or this success, and what follows from it. */
export type Expected =
  | { readonly refused: readonly Refusal[] }
  | { readonly world: World; readonly shows: unknown; readonly fits?: (shows: unknown) => boolean };

const refuse = (...refused: Refusal[]): Expected => ({ refused });

/** `made`: the ids that a success gave, and where instances are. */
export function expected(world: World, request: Request, when: Moment, made: readonly Made[]): Expected {
  switch (request.op) {
    case "decide": {
      const before = known(world.hosts, request.host);
      if (before.mode === "lost" || before.mode === "maintenance") return refuse("conflict");
      const after = decided(before, request);
      return { world: { ...world, hosts: set(world.hosts, request.host, after) }, shows: undefined };
    }
    case "move":
      return moved(world, request);
    case "price":
      return { world: { ...world, cents: set(world.cents, request.type, request.cents) }, shows: undefined };
    case "put-coupon": {
      const { percent, active } = request;
      const coupon = { ...known(coupons, request.code), percent, active };
      return { world: { ...world, coupons: set(world.coupons, request.code, coupon) }, shows: undefined };
    }
    case "quota":
    case "status":
    case "revoke": {
      const before = known(world.accounts, request.account);
      const after =
        request.op === "revoke"
          ? { ...before, revoked: true }
          : request.op === "status"
            ? { ...before, active: request.active }
            : { ...before, quotas: { ...before.quotas, [request.what]: request.value } };
      return { world: { ...world, accounts: set(world.accounts, request.account, after) }, shows: undefined };
    }
    case "all-instances": {
      const views = inOrder(world, () => true).map((one) => ({ ...shown("control", one), ...placeOf(one) }));
      return { world, shows: views };
    }
    case "hosts":
      return { world, shows: [...world.hosts.keys()].sort().map((name) => hostShown(world, name)) };
    default:
      return ofCustomer(world, request, when, made);
  }
}

function hostShown(world: World, name: string) {
  const { mode, available, drains } = known(world.hosts, name);
  return { name, mode, available, drains, ...roomOn(world, name) };
}

function decided(before: Host, { action, drains }: RequestOf<"decide">): Host {
  const modes = { cordon: "cordoned", uncordon: "up", drain: "draining" } as const;
  return { ...before, mode: modes[action], drains: action === "drain" ? (drains ?? before.drains ?? "wait") : null };
}

const placeOf = ({ host, move }: Instance) => ({ host, move: move?.phase ?? null, to: move?.to ?? null });

/** A stopped instance begins to move; repeated, it changes nothing. */
function moved(world: World, { id, host }: RequestOf<"move">): Expected {
  const one = world.instances.get(canonical(id));
  if (one === undefined) return refuse("unknown object");
  const same = { world, shows: placeOf(one) };
  const { move, state, type } = one;
  if (move === undefined || move.phase === "failed") {
    if (host === one.host) return same;
  } else {
    const isLeaving = move.phase !== "removing-target";
    return isLeaving && (host === undefined || host === move.to) ? same : refuse("conflict");
  }
  const from = known(world.hosts, one.host);
  if (state !== "stopped" || isHeld(world, one) || from.unreachableSince !== undefined || one.health !== "ok")
    return refuse("conflict");
  const to = otherHostOf(one.host);
  if (host !== undefined && (host !== to || !accepts(world, host))) return refuse("conflict");
  if (to === undefined || fitsOn(world, to, type) < 1) return refuse("no capacity");
  const after: Instance = { ...one, move: { phase: "copying", from: one.host, to } };
  return { world: withInstance(world, after), shows: placeOf(after) };
}

const reads: readonly Request["op"][] = [
  "read",
  "list",
  "keys",
  "file-systems",
  "usage",
  "account",
  "offers",
  "coupon",
];

type OfCustomer = Extract<Request, { readonly who: Who }>;

function ofCustomer(world: World, request: OfCustomer, when: Moment, made: readonly Made[]): Expected {
  const { who } = request;
  const account = known(world.accounts, who.account);
  if (who.token === "spare" && account.revoked) return refuse("revoked");
  if (!account.active) return refuse("inactive");
  if (who.token === "reader" && !reads.includes(request.op)) return refuse("forbidden");
  if (request.key === undefined) return done(world, request, when, made);
  const place = `${who.account} ${request.key}`;
  const kept = world.kept.get(place);
  if (kept !== undefined && when.from - kept.at.to < limits.idempotencySeconds) {
    if (who.token === "reader" && !kept.byReader) return refuse("forbidden");
    if (kept.print === printOf(request)) return { world, shows: kept.shows };
    // What no interface would take is refused as that, whatever its key.
    const isIll =
      (request.op === "launch" && request.order.quantity < 1) || (request.op === "change" && request.ids.length === 0);
    return isIll ? refuse("key reused", "invalid") : refuse("key reused");
  }
  const answer = done(world, request, when, made);
  if ("refused" in answer) return answer;
  const first = { print: printOf(request), at: when, byReader: who.token === "reader", shows: answer.shows };
  return { ...answer, world: { ...answer.world, kept: set(answer.world.kept, place, first) } };
}

/** Whether the answer is one that was given before. */
export function isReplay(world: World, request: Request, when: Moment): boolean {
  if (request.key === undefined || !("who" in request)) return false;
  const kept = world.kept.get(`${request.who.account} ${request.key}`);
  return kept !== undefined && when.from - kept.at.to < limits.idempotencySeconds;
}

/** What makes two requests under one key the same. */
function printOf(request: OfCustomer): string {
  const { who: _, key: __, ...rest } = request;
  return JSON.stringify(rest);
}

function done(world: World, request: OfCustomer, when: Moment, made: readonly Made[]): Expected {
  const { account } = request.who;
  const own = (one: { readonly account: Customer }) => one.account === account;
  switch (request.op) {
    case "launch":
      return launched(world, request, when, made);
    case "change":
      return changed(world, request, when);
    case "add-key": {
      if ([...world.keys.values()].some((one) => own(one) && one.name === request.name)) return refuse("duplicate");
      if (passes(world, account, { ssh_keys: 1 })) return refuse("quota");
      const id = made[0]?.id ?? "?";
      const keys = set(world.keys, id, { account, name: request.name });
      return { world: { ...world, keys }, shows: { id, name: request.name, generated: request.generate } };
    }
    case "delete-key": {
      const key = world.keys.get(canonical(request.id));
      if (key === undefined || !own(key)) return refuse("unknown key");
      return { world: { ...world, keys: without(world.keys, canonical(request.id)) }, shows: undefined };
    }
    case "create-file-system": {
      if ([...world.fileSystems.values()].some((one) => own(one) && one.name === request.name))
        return refuse("duplicate");
      if (passes(world, account, { file_systems: 1 })) return refuse("quota");
      const id = made[0]?.id ?? "?";
      const one = { account, name: request.name, region: request.region, attachedTo: null };
      const shows = { id, name: one.name, region: one.region, attachedTo: null };
      return { world: { ...world, fileSystems: set(world.fileSystems, id, one) }, shows };
    }
    case "delete-file-system": {
      const one = world.fileSystems.get(canonical(request.id));
      if (one === undefined || !own(one)) return refuse("unknown object");
      if (one.attachedTo !== null) return refuse("conflict");
      return { world: { ...world, fileSystems: without(world.fileSystems, canonical(request.id)) }, shows: undefined };
    }
    case "read": {
      const one = world.instances.get(canonical(request.id));
      if (one === undefined || !own(one) || !isVisible(one, when, "read")) return refuse("unknown object");
      return { world, shows: [shown(request.via, one, request.who.token !== "reader")] };
    }
    case "list": {
      const isListed = (one: Instance) =>
        own(one) && (request.via === "D" ? isLive(one) : isVisible(one, when, "list"));
      const mayWrite = request.who.token !== "reader";
      return { world, shows: inOrder(world, isListed).map((one) => shown(request.via, one, mayWrite)) };
    }
    case "keys":
      return { world, shows: byId(world.keys, own).map(([id, { name }]) => ({ id, name })) };
    case "file-systems": {
      const views = byId(world.fileSystems, own).map(([id, { account: _, ...rest }]) => ({ id, ...rest }));
      return { world, shows: views };
    }
    case "account": {
      const { active, quotas } = known(world.accounts, account);
      return { world, shows: { status: active ? "active" : "inactive", used: usedBy(world, account), quotas } };
    }
    case "usage":
      return { world, ...usageOf(inOrder(world, own), when) };
    case "offers":
      return { world, shows: offers(world, request.via) };
    case "coupon":
      return validated(world, request, when);
  }
}

function launched(world: World, request: RequestOf<"launch">, when: Moment, made: readonly Made[]): Expected {
  const { via, who, order } = request;
  const why = [...problemsOf(world, request, when)];
  if (why.length > 0) return refuse(...why);
  if (made.length > 0 && !isWellPlaced(world, request, made)) return refuse("no capacity");
  const attached = order.fileSystems.map((name) => idOfFileSystem(world, who.account, name));
  const percent = order.coupon === undefined ? 0 : known(world.coupons, order.coupon).percent;
  let after = world;
  for (const [index, { id, position, host }] of made.entries()) {
    for (const key of attached) {
      if (key === undefined) throw new Error("BUG: a file system that was found");
      const one = { ...known(after.fileSystems, key), attachedTo: id };
      after = { ...after, fileSystems: set(after.fileSystems, key, one) };
    }
    after = withInstance(after, {
      id,
      position,
      account: who.account,
      name: namesOf(request)[index] ?? `${order.type}-${id.slice(-8)}`,
      type: order.type,
      cents: known(world.cents, order.type),
      percent,
      image: order.image ?? defaultImage,
      region: known(hosts, host).region,
      host,
      keys: [...new Set(order.keys)],
      fileSystems: [...new Set(order.fileSystems)],
      password: via === "D" && order.keys.length === 0,
      state: "booting",
      since: when,
      wishedAt: when,
      machine: "none",
      settles: when,
      lateStart: true,
      astray: false,
      health: "ok",
      isDown: "no",
      downtime: [],
      strays: [],
      failed: false,
      endedBy: null,
    });
  }
  return { world: after, shows: made.map(({ id }) => id) };
}

/** Every reason against it: which of several is given, the decisions leave open. */
function* problemsOf(world: World, { who, order }: RequestOf<"launch">, when: Moment): Iterable<Refusal> {
  const { account } = who;
  if (order.quantity < 1 || order.quantity > limits.maxQuantity) return yield "invalid";
  if (order.env === "bad" || (order.quantity > 1 && order.fileSystems.length > 0)) yield "invalid";
  const type = types[order.type];
  const isRegion = order.region === "any" || regions.some((name) => name === order.region);
  if (type === undefined || !isRegion) return yield "unknown name";
  const image = order.image === undefined ? undefined : images[order.image];
  if (order.image !== undefined && image === undefined) yield "unknown name";
  if (image?.refusesGpus && type.gpus > 0) yield "invalid";
  const has = (name: string) => [...world.keys.values()].some((one) => one.account === account && one.name === name);
  if (!order.keys.every(has)) yield "unknown name";
  if (order.coupon !== undefined) {
    const coupon = world.coupons.get(order.coupon);
    if (coupon === undefined) yield "unknown name";
    else if (!coupon.active || coupon.endsAt <= when.from) yield "invalid";
    else if (coupon.types.length > 0 && !coupon.types.includes(order.type)) yield "invalid";
  }
  const fileSystems = order.fileSystems.map((name) =>
    world.fileSystems.get(idOfFileSystem(world, account, name) ?? ""),
  );
  if (fileSystems.some((one) => one === undefined)) yield "unknown name";
  if (fileSystems.some((one) => one !== undefined && one.attachedTo !== null)) yield "conflict";
  const bound = fileSystems.find((one) => one !== undefined)?.region;
  const region = order.region === "any" ? bound : order.region;
  if (fileSystems.some((one) => one !== undefined && one.region !== region)) yield "invalid";
  const possible = region === undefined ? regions : [region];
  if (!possible.some((name) => fitsIn(world, name, order.type) >= order.quantity)) yield "no capacity";
  const more = { instances: order.quantity, gpus: order.quantity * type.gpus, vcpus: order.quantity * type.vcpus };
  if (passes(world, account, more)) yield "quota";
}

/** In one region, the one that was asked for, and nowhere more than there is room for. */
function isWellPlaced(world: World, { who, order }: RequestOf<"launch">, made: readonly Made[]): boolean {
  if (made.length !== order.quantity) return false;
  const [region, ...others] = new Set(made.map(({ host }) => known(hosts, host).region));
  const bound = order.fileSystems.map((name) => world.fileSystems.get(idOfFileSystem(world, who.account, name) ?? ""));
  const asked = order.region === "any" ? bound[0]?.region : order.region;
  if (others.length > 0 || (asked !== undefined && asked !== region)) return false;
  const counts = Map.groupBy(made, ({ host }) => host);
  return [...counts].every(([host, here]) => here.length <= fitsOn(world, host, order.type));
}

const wishes: Readonly<Record<RequestOf<"change">["wish"], Partial<Record<State, State>>>> = {
  stop: { booting: "stopping", active: "stopping", stopping: "stopping", stopped: "stopped" },
  restart: { stopped: "booting" },
  terminate: {
    booting: "terminating",
    active: "terminating",
    stopping: "terminating",
    stopped: "terminating",
    terminating: "terminating",
    terminated: "terminated",
  },
};

function changed(world: World, { via, who, wish, ids }: RequestOf<"change">, when: Moment): Expected {
  if (ids.length === 0) return refuse("invalid");
  const found = [...new Set(ids.map(canonical))].map((id) => world.instances.get(id));
  const some = found.filter((one) => one !== undefined && one.account === who.account && isVisible(one, when, "read"));
  if (some.length < found.length) return refuse("unknown object");
  let after = world;
  let isKept = false;
  const views: unknown[] = [];
  for (const one of some) {
    if (one === undefined) throw new Error("BUG: an instance that was found");
    const state = wishes[wish][one.state];
    if (state === undefined) return refuse(wish === "restart" ? "not stopped" : "terminated");
    if (state === "booting" && state !== one.state) isKept ||= keepsStopped(world, one.host);
    const before = goesOn(one, when);
    const next = state === one.state ? before : wished(before, state, when);
    after = withInstance(after, next);
    const view = { ...shown(via === "D" ? "M" : via, next), word: (via === "R" ? readWords.R : operationWords)[state] };
    views.push(via === "D" && wish === "terminate" ? { ...view, cents: undefined } : view);
  }
  return isKept ? refuse("conflict") : { world: after, shows: views };
}

function wished(one: Instance, state: State, when: Moment): Instance {
  const next = { ...one, state, since: when, wishedAt: when, failed: false, astray: false };
  if (state === "booting") return { ...next, lateStart: true };
  return state === "terminating" ? { ...next, endedAt: when, endedBy: "customer" } : next;
}

function offers(world: World, via: Via) {
  const entries = Object.keys(types).map((type) => {
    const fits = regions.map((region) => fitsIn(world, region, type));
    const sum = fits.reduce((total, one) => total + one, 0);
    const withRoom = regions.filter((_, index) => (fits[index] ?? 0) > 0);
    return [type, { cents: known(world.cents, type), regions: withRoom, fits: via === "R" ? undefined : sum }];
  });
  return Object.fromEntries(entries);
}

function validated(world: World, { code, products }: RequestOf<"coupon">, when: Moment): Expected {
  const coupon = code === undefined ? undefined : world.coupons.get(code);
  if (code !== undefined && coupon === undefined) return refuse("unknown name");
  const percent = coupon?.percent ?? null;
  if (!products) return { world, shows: { percent } };
  if (coupon !== undefined && (!coupon.active || coupon.endsAt <= when.from)) return refuse("invalid");
  const isFor = (type: string) => coupon === undefined || coupon.types.length === 0 || coupon.types.includes(type);
  const entries = Object.keys(types)
    .filter(isFor)
    .map((type) => {
      const cents = known(world.cents, type);
      const available = regions.some((region) => fitsIn(world, region, type) > 0);
      return [type, { dollars: cents / 100, final: soldAt(cents, percent ?? 0), available }];
    });
  return { world, shows: { percent, products: Object.fromEntries(entries) } };
}

function passes(world: World, account: Customer, more: Partial<Record<QuotaName, number>>): boolean {
  const [used, { quotas }] = [usedBy(world, account), known(world.accounts, account)];
  const names = Object.keys(used) as QuotaName[];
  return names.some((name) => (more[name] ?? 0) > 0 && used[name] + (more[name] ?? 0) > quotas[name]);
}

function idOfFileSystem(world: World, account: Customer, name: string): string | undefined {
  return [...world.fileSystems].find(([, one]) => one.account === account && one.name === name)?.[0];
}

/** An identifier is read with or without dashes, in either case. */
export function canonical(id: string): string {
  const digits = id.replaceAll("-", "").toLowerCase();
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function byId<T>(map: ReadonlyMap<string, T>, which: (one: T) => boolean): [string, T][] {
  return [...map].filter(([, one]) => which(one)).sort(([a], [b]) => (a < b ? -1 : 1));
}

function without<T>(map: ReadonlyMap<string, T>, id: string): ReadonlyMap<string, T> {
  return new Map([...map].filter(([key]) => key !== id));
}
