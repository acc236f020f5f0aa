// The exact model that random histories of reservations are judged with: facts as they are stored, host by host, instance by
// instance and moment by moment, and nothing of the code that it judges. It does not choose hosts: it says what fits.

/** What hosts need between two customers, and what a boot takes at most. */
export const handoverMs = 900_000;
const bootMs = 600_000;
/** From an order until spot instances that are evicted for it have ended: a notice, and what it is given ahead. */
export const noticeMs = 240_000;

/** Launches that wait are compared at quarters of an hour. */
const claimStepMs = 900_000;

/** CPU, memory, storage, GPUs. */
export type Sizes = readonly [vcpus: number, memoryGib: number, storageGb: number, gpus: number];

export interface FactHost {
  readonly name: string;
  readonly region: string;
  readonly accepts: boolean;
  readonly has: Sizes;
  readonly windows: readonly { readonly fromMs: number; readonly untilMs: number }[];
}

export interface FactInstance {
  readonly id: string;
  readonly host: string;
  readonly needs: Sizes;
  /** Undefined: it has no end. That of a notice counts; of one with a reservation, the end of that, which keeps its slot. */
  readonly endsMs: number | undefined;
  readonly isSpot: boolean;
  /** What its notice is for; undefined: none runs. */
  readonly evictedFor: string | undefined;
  readonly reservation: string | undefined;
}

export interface FactReservation {
  readonly id: string;
  readonly account: string;
  readonly region: string;
  readonly type: string;
  readonly state: string;
  readonly quantity: number;
  readonly needs: Sizes;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly startedMs: number | undefined;
  /** By host; empty when it is over. */
  readonly slots: ReadonlyMap<string, number>;
}

/** A launch that waits for capacity, and is not for spot instances. */
export interface FactWaiting {
  readonly position: number;
  readonly type: string;
  /** Undefined: every one. */
  readonly region: string | undefined;
  readonly needs: Sizes;
  readonly quantity: number;
  readonly lifetimeMs: number | undefined;
  readonly untilMs: number;
}

export interface Facts {
  readonly nowMs: number;
  readonly hosts: readonly FactHost[];
  readonly instances: readonly FactInstance[];
  readonly reservations: readonly FactReservation[];
  readonly waiting: readonly FactWaiting[];
}

/** Slots of the host without an instance. */
export function unusedOn(facts: Facts, { id, slots }: FactReservation, host: string): number {
  const used = facts.instances.filter((one) => one.reservation === id && one.host === host).length;
  return Math.max(0, (slots.get(host) ?? 0) - used);
}

/**
 * What instances have of the host at this moment: those that surely end have ended, and the host is ready again. Spot
 * instances have too, if they can be evicted so that they end `sinceMs` from now.
 */
function taken(facts: Facts, host: string, ms: number, sinceMs: number): Sizes {
  const there = facts.instances.filter((one) => {
    if (one.host !== host) return false;
    if (ms <= facts.nowMs) return true;
    if (one.isSpot && one.evictedFor === undefined && facts.nowMs + sinceMs + handoverMs <= ms) return false;
    if (one.endsMs === undefined) return true;
    // What should be gone already is still there.
    return one.endsMs + handoverMs > ms || one.endsMs + handoverMs <= facts.nowMs;
  });
  return there.reduce<Sizes>((sum, { needs }) => plus(sum, needs, 1), nothing);
}

function owed(facts: Facts, host: string, ms: number): Sizes {
  const then = facts.reservations.filter(({ fromMs, untilMs }) => fromMs <= ms && ms < untilMs + handoverMs);
  return then.reduce<Sizes>((sum, one) => plus(sum, one.needs, unusedOn(facts, one, host)), nothing);
}

/** The moments at which hosts owe more than before. */
function begins(facts: Facts): number[] {
  return facts.reservations.filter(({ slots }) => slots.size > 0).map(({ fromMs }) => fromMs);
}

/**
 * One line for each host that owes more than it will have at some moment. `except`: hosts that failed. `excused`: reservations
 * that had slots on one, for which nothing has to be evicted on others either.
 */
export function overbooked(facts: Facts, except: ReadonlySet<string>, excused: ReadonlySet<string>): string[] {
  const moments = [facts.nowMs, ...begins(facts).filter((ms) => ms > facts.nowMs)];
  return facts.hosts
    .filter(({ name }) => !except.has(name))
    .flatMap(({ name, has }) =>
      moments.flatMap((ms) => {
        const isExcused = facts.reservations.some(({ id, slots }) => excused.has(id) && slots.has(name));
        const standing = facts.instances.filter((one) => !isExcused || !one.isSpot);
        const needed = plus(taken({ ...facts, instances: standing }, name, ms, 0), owed(facts, name, ms), 1);
        if (needed.every((size, at) => size <= (has[at] ?? 0))) return [];
        const minutes = Math.round((ms - facts.nowMs) / 60_000);
        return [`${name} needs ${needed.join("/")} of ${has.join("/")} in ${minutes} minutes`];
      }),
    );
}

/** How many slots the host surely has from `fromMs` to `untilMs`, beside all that it owes. */
export function slotsFit(facts: Facts, host: FactHost, needs: Sizes, fromMs: number, untilMs: number): number {
  const isMaintained = host.windows.some((window) => window.fromMs < untilMs && fromMs < window.untilMs);
  if (!host.accepts || isMaintained) return 0;
  const meanwhile = begins(facts).filter((ms) => fromMs < ms && ms < untilMs + handoverMs);
  const fits = [fromMs, ...meanwhile].map((ms) =>
    times(host.has, plus(taken(facts, host.name, ms, noticeMs), owed(facts, host.name, ms), 1), needs),
  );
  const besideClaims = claims(facts)
    .filter((claim) => claim.host === host && claim.atMs < untilMs + handoverMs && fromMs < claim.endedMs + handoverMs)
    .flatMap(({ atMs, before, needs: its, count }) => {
      const then = plus(plus(taken(facts, host.name, atMs, noticeMs), before, 1), its, count);
      const open = notOver(facts, atMs);
      return [fromMs, ...meanwhile].map((ms) => times(host.has, plus(then, owed(open, host.name, ms), 1), needs));
    });
  return Math.min(...fits, ...besideClaims);
}

/** Waiting launches of one kind that will surely be placed on the host at this moment. */
export interface Claim {
  readonly host: FactHost;
  readonly atMs: number;
  readonly needs: Sizes;
  readonly count: number;
  readonly lifetimeMs: number | undefined;
  readonly endedMs: number;
  /** What earlier claims have of the host. */
  readonly before: Sizes;
}

/**
 * Moment by moment, what launches that wait can surely have: those of one type and region that have a lifetime are one kind,
 * and those without another, in order of the first of each; on the hosts with the least room for them first.
 */
export function claims(facts: Facts): Claim[] {
  const { nowMs, hosts, instances, reservations, waiting } = facts;
  const kinds = [
    ...Map.groupBy(waiting, ({ type, region, lifetimeMs }) => `${type} ${region} ${lifetimeMs === undefined}`).values(),
  ].map((some) => ({
    first: Math.min(...some.map(({ position }) => position)),
    needs: some[0]?.needs ?? nothing,
    region: some[0]?.region,
    left: some.reduce((sum, { quantity }) => sum + quantity, 0),
    lifetimeMs: some[0]?.lifetimeMs && Math.min(...some.map(({ lifetimeMs = 0 }) => lifetimeMs)),
    untilMs: Math.max(...some.map(({ untilMs }) => untilMs)),
    endedMs: Math.max(...some.map(({ untilMs, lifetimeMs = Infinity }) => untilMs + lifetimeMs + bootMs)),
  }));
  kinds.sort((a, b) => a.first - b.first);
  const later = [
    ...instances.flatMap(({ endsMs }) => (endsMs === undefined ? [] : [endsMs + handoverMs])),
    ...reservations.map(({ untilMs }) => untilMs + handoverMs),
    nowMs + noticeMs + handoverMs,
  ];
  const rounded = later.filter((ms) => ms > nowMs).map((ms) => ms - (ms % claimStepMs) + claimStepMs);
  const moments = [nowMs, ...new Set(rounded)].sort((a, b) => a - b);
  const found: Claim[] = [];
  const had = (host: FactHost) =>
    found.filter((one) => one.host === host).reduce((sum, { needs, count }) => plus(sum, needs, count), nothing);
  for (const atMs of moments)
    for (const kind of kinds.filter(({ untilMs }) => atMs <= untilMs + claimStepMs)) {
      const { needs, lifetimeMs, endedMs, region } = kind;
      const fitting = hosts
        .filter((host) => region === undefined || region === host.region)
        .map((host) => ({ host, fits: launchesFit(facts, host, needs, lifetimeMs, atMs, had(host)) }))
        .sort((a, b) => a.fits - b.fits || (a.host.name < b.host.name ? -1 : 1));
      for (const { host, fits } of fitting) {
        const count = Math.min(fits, kind.left);
        kind.left -= count;
        if (count > 0) found.push({ host, atMs, needs, count, lifetimeMs, endedMs, before: had(host) });
      }
    }
  return found;
}

function notOver(facts: Facts, ms: number): Facts {
  return { ...facts, reservations: facts.reservations.filter(({ untilMs }) => ms < untilMs + handoverMs) };
}

/** Whether a reservation could be made: in one region. */
export function couldReserve(
  facts: Facts,
  needs: Sizes,
  quantity: number,
  [fromMs, untilMs]: readonly [number, number],
  region: string | undefined,
): boolean {
  return inSomeRegion(facts, region, quantity, (host) => slotsFit(facts, host, needs, fromMs, untilMs));
}

/**
 * How many instances of a launch the host has room for at this moment, that surely end so; undefined: never. `had`: of what
 * is launched there before.
 */
export function launchesFit(
  facts: Facts,
  host: FactHost,
  needs: Sizes,
  lifetimeMs: number | undefined,
  atMs = facts.nowMs,
  had = nothing,
): number {
  if (!host.accepts) return 0;
  const open = notOver(facts, atMs);
  const endsMs = lifetimeMs === undefined ? Number.POSITIVE_INFINITY : atMs + bootMs + lifetimeMs;
  const beside = begins(open).filter((ms) => ms - handoverMs < endsMs);
  const then = plus(taken(facts, host.name, atMs, noticeMs), had, 1);
  const fits = beside.map((ms) => times(host.has, plus(then, owed(open, host.name, ms), 1), needs));
  return Math.min(times(host.has, then, needs), ...fits);
}

export function couldLaunch(
  facts: Facts,
  needs: Sizes,
  quantity: number,
  lifetimeMs: number | undefined,
  region: string | undefined,
): boolean {
  return inSomeRegion(facts, region, quantity, (host) => launchesFit(facts, host, needs, lifetimeMs));
}

function inSomeRegion(
  { hosts }: Facts,
  region: string | undefined,
  quantity: number,
  fitsOn: (host: FactHost) => number,
): boolean {
  const regions = new Set(hosts.map((host) => host.region).filter((name) => region === undefined || name === region));
  return [...regions].some((name) => {
    const here = hosts.filter((host) => host.region === name);
    return here.reduce((sum, host) => sum + fitsOn(host), 0) >= quantity;
  });
}

/**
 * Whether the notice of this instance is needed: without it, the host would not have what it owes when the reservation that
 * it is for begins. Given no earlier than it has to be.
 */
export function isNeeded(facts: Facts, evicted: FactInstance): boolean {
  const reservation = facts.reservations.find(({ id }) => id === evicted.evictedFor);
  const host = facts.hosts.find(({ name }) => name === evicted.host);
  if (reservation === undefined || host === undefined) return false;
  const ms = Math.max(facts.nowMs, reservation.fromMs);
  const others = facts.instances.filter(({ id }) => id !== evicted.id).map((one) => ({ ...one, isSpot: false }));
  const stays = { ...evicted, isSpot: false, endsMs: undefined, evictedFor: undefined };
  const without: Facts = { ...facts, instances: [...others, stays] };
  const needed = plus(taken(without, host.name, ms, 0), owed(facts, host.name, ms), 1);
  const isShort = needed.some((size, at) => size > (host.has[at] ?? 0));
  return isShort && reservation.fromMs <= facts.nowMs + handoverMs + noticeMs;
}

export const nothing: Sizes = [0, 0, 0, 0];

export function plus(a: Sizes, b: Sizes, count: number): Sizes {
  return [a[0] + count * b[0], a[1] + count * b[1], a[2] + count * b[2], a[3] + count * b[3]];
}

/** How often it fits; what it does not need does not matter. */
function times(has: Sizes, gone: Sizes, needs: Sizes): number {
  const fits = needs.flatMap((need, at) =>
    need === 0 ? [] : [Math.max(0, Math.floor(((has[at] ?? 0) - (gone[at] ?? 0)) / need))],
  );
  return Math.min(...fits);
}
