// What a sequence is made of, as it is generated and shrunk: commands that name things by number ("the third instance of
// mine"), so that one still means something when those before it are gone. names.ts decides what each number means.

import type { InstanceAction } from "../../../src/rules/lifecycle.ts";
import { fc } from "../../support/properties.ts";
import { type Order, type Variant, type Via, variants, type Who } from "./requests.ts";
import { type Customer, coupons, customers, hosts, type QuotaName, quotaNames, types } from "./scene.ts";

/** The number of the instance that was launched last. */
export const latest = -1;

/** An instance by number, of this customer or the other, or none; and how its id is written. */
export interface Ref {
  readonly whose: "own" | "foreign" | "unknown";
  readonly nth: number;
  readonly written: "plain" | "upper case" | "without dashes";
}

type OrderCommand = Omit<Order, "name"> & { readonly named: boolean };

export type Command =
  | { readonly do: "launch"; readonly via: Via; readonly who: Who; readonly order: OrderCommand; readonly key?: string }
  | {
      readonly do: Exclude<InstanceAction, "reboot">;
      readonly via: Variant;
      readonly who: Who;
      readonly refs: readonly Ref[];
      readonly key?: string;
    }
  | { readonly do: "add key"; readonly via: Variant; readonly who: Who; readonly name: string; readonly key?: string }
  | {
      readonly do: "delete key";
      readonly via: Variant;
      readonly who: Who;
      readonly name: string;
      readonly of: Ref["whose"];
    }
  | {
      readonly do: "add file system";
      readonly who: Who;
      readonly name: string;
      readonly region: string;
      readonly key?: string;
    }
  | { readonly do: "delete file system"; readonly who: Who; readonly name: string; readonly of: Ref["whose"] }
  | { readonly do: "read"; readonly via: Via; readonly who: Who; readonly ref: Ref }
  | { readonly do: "list" | "keys" | "offers"; readonly via: Variant; readonly who: Who }
  | { readonly do: "file-systems" | "usage" | "account"; readonly who: Who }
  | {
      readonly do: "coupon";
      readonly who: Who;
      readonly code?: string;
      readonly products: boolean;
      readonly key?: string;
    }
  /** A POST that was sent before, once more. */
  | { readonly do: "again"; readonly nth: number }
  | {
      readonly do: "decide";
      readonly host: string;
      readonly action: "cordon" | "uncordon" | "drain";
      readonly drains?: "wait" | "move";
    }
  | { readonly do: "move"; readonly account: Customer; readonly nth: number; readonly host?: string }
  | { readonly do: "price"; readonly type: string; readonly cents: number }
  | { readonly do: "put coupon"; readonly code: string; readonly percent: number; readonly active: boolean }
  | { readonly do: "quota"; readonly account: Customer; readonly what: QuotaName; readonly value: number }
  | { readonly do: "status"; readonly account: Customer; readonly active: boolean }
  | { readonly do: "revoke"; readonly account: Customer }
  | { readonly do: "all instances" | "hosts" };

export type Step =
  /** All at once. `hurried`: what follows does not wait for what the service does by itself. */
  | { readonly ask: readonly Command[]; readonly hurried: boolean }
  /** `abrupt`: in the middle of whatever the service does. */
  | { readonly pass: number; readonly abrupt: boolean }
  /** No worker takes another step; or they go on. */
  | { readonly workers: "hold" | "go on" }
  | { readonly host: string; readonly is: "dead" | "alive" }
  | { readonly sweep: true }
  /** Of a host that dies before, if it has not. */
  | { readonly declareLost: string }
  /** Of a host, until it is ended or time is over; then the jobs run. */
  | { readonly maintain: string; readonly mode: "stop" | "move" | "nothing" }
  | { readonly endMaintenance: string }
  /** Those that run maintenance, and empty hosts. */
  | { readonly jobs: true }
  /** Of the machine of an instance that is up, and the service is not told. */
  | { readonly accident: "halts" | "is lost"; readonly account: Customer; readonly nth: number }
  /** The service is gone so many milliseconds after these were asked, and another is started. */
  | { readonly crash: readonly Command[]; readonly afterMs: number };

/** `seconds`: how long machines take to boot and to halt, in time that the sequence lets pass. */
export interface Script {
  readonly seconds: number;
  readonly steps: readonly Step[];
}

/** A second, longer than boots and leases, than lists show what is terminated, a day and a month. */
const times = [1, 170, 4000, 90_000, 2_700_000];

const one = <T>(...some: readonly T[]) => fc.constantFrom(...some);
const rarely = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>, weight = 9) =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: rare });
const maybe = <T>(arbitrary: fc.Arbitrary<T>, freq: number) => fc.option(arbitrary, { nil: undefined, freq });

const who: fc.Arbitrary<Who> = fc.record({
  account: fc.oneof({ weight: 3, arbitrary: fc.constant(customers[0]) }, { weight: 2, arbitrary: one(customers[1]) }),
  token: fc.oneof(
    { weight: 6, arbitrary: one("main" as const) },
    { weight: 2, arbitrary: one("spare" as const) },
    { weight: 1, arbitrary: one("reader" as const) },
  ),
});
const via = fc.constantFrom<Via>("M", "D", "R", "control");
const variant = fc.constantFrom<Variant>(...variants);
const key = maybe(one("k0", "k1", "k2"), 2);
const thing = one("a", "b", "c");
const ref: fc.Arbitrary<Ref> = fc.record({
  whose: fc.oneof(
    { weight: 14, arbitrary: one("own" as const) },
    { weight: 1, arbitrary: one("foreign" as const, "unknown" as const) },
  ),
  nth: fc.nat({ max: 5 }),
  written: rarely(one("plain" as const), one("upper case" as const, "without dashes" as const)),
});

const order: fc.Arbitrary<OrderCommand> = fc
  .record({
    type: rarely(one(...Object.keys(types)), one("nonsuch"), 30),
    region: rarely(one("any", "any", "north", "south"), one("nowhere"), 20),
    quantity: rarely(one(1, 1, 1, 2, 3), one(0, 7, 65)),
    named: fc.boolean(),
    image: maybe(rarely(one("ubuntu", "bare"), one("nonsuch")), 4),
    coupon: maybe(rarely(one(...Object.keys(coupons)), one("NONE")), 3),
    keys: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(thing, { maxLength: 3 }) },
    ),
    fileSystems: fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(thing, { maxLength: 2 }) },
    ),
    env: maybe(rarely(one("good" as const), one("bad" as const), 5), 5),
  })
  .map(present);

const launch = fc.record({ do: one("launch" as const), via, who, order, key }).map(present);
const change = fc
  .record({
    do: one<Exclude<InstanceAction, "reboot">>("stop", "stop", "restart", "restart", "terminate"),
    via: variant,
    who,
    refs: rarely(fc.array(ref, { minLength: 1, maxLength: 3 }), fc.constant<Ref[]>([]), 40),
    key,
  })
  .map((command) => present(command.do === "stop" ? { ...command, via: "M" as const } : command));
const whose = one<Ref["whose"]>("own", "own", "own", "foreign", "unknown");
const things: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ do: one("add key" as const), via: variant, who, name: thing, key }).map(present),
  fc.record({ do: one("delete key" as const), via: variant, who, name: thing, of: whose }),
  fc.record({ do: one("add file system" as const), who, name: thing, region: one("north", "south"), key }).map(present),
  fc.record({ do: one("delete file system" as const), who, name: thing, of: whose }),
);
const reading: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ do: one("read" as const), via, who, ref }),
  fc.record({ do: one("list" as const, "list" as const, "keys" as const, "offers" as const), via: variant, who }),
  fc.record({ do: one("file-systems" as const, "usage" as const, "account" as const), who }),
  fc
    .record({
      do: one("coupon" as const),
      who,
      code: maybe(one(...Object.keys(coupons), "NONE"), 6),
      products: fc.boolean(),
      key,
    })
    .map(present),
);
const operating: fc.Arbitrary<Command> = fc.oneof(
  fc
    .record({
      do: one("decide" as const),
      host: one(...Object.keys(hosts)),
      action: one("cordon" as const, "uncordon" as const, "uncordon" as const, "drain" as const),
      drains: maybe(one("wait" as const, "move" as const), 1),
    })
    .map(({ drains, ...rest }) => present({ ...rest, drains: rest.action === "drain" ? drains : undefined })),
  fc.record({ do: one("price" as const), type: one(...Object.keys(types)), cents: one(1, 100, 333) }),
  fc.record({
    do: one("put coupon" as const),
    code: one(...Object.keys(coupons)),
    percent: one(5, 12.5, 100),
    active: fc.boolean(),
  }),
  fc.record({
    do: one("quota" as const),
    account: one(...customers),
    what: one(...quotaNames),
    value: one(0, 2, 12, 60),
  }),
  fc.record({
    do: one("status" as const),
    account: one(...customers),
    active: rarely(fc.constant(true), fc.constant(false), 1),
  }),
  fc.record({ do: one("revoke" as const), account: one(...customers) }),
  fc.record({ do: one("all instances" as const, "hosts" as const) }),
);

const move: fc.Arbitrary<Command> = fc
  .record({
    do: one("move" as const),
    account: one(...customers),
    nth: fc.nat({ max: 5 }),
    host: maybe(one(...Object.keys(hosts)), 2),
  })
  .map(present);

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: launch },
  { weight: 7, arbitrary: change },
  { weight: 3, arbitrary: things },
  { weight: 4, arbitrary: reading },
  { weight: 2, arbitrary: fc.record({ do: one("again" as const), nth: fc.nat({ max: 9 }) }) },
  { weight: 1, arbitrary: operating },
  { weight: 2, arbitrary: move },
);

/** Two of five times several are asked together. */
const asking: fc.Arbitrary<Step> = fc.record({
  ask: fc.oneof(
    { weight: 3, arbitrary: fc.array(command, { minLength: 1, maxLength: 1 }) },
    { weight: 2, arbitrary: fc.array(command, { minLength: 2, maxLength: 6, size: "max" }) },
  ),
  hurried: rarely(fc.constant(false), fc.constant(true), 2),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 20, arbitrary: asking },
  {
    weight: 4,
    arbitrary: fc.record({
      pass: fc.oneof(
        { weight: 3, arbitrary: one(...times.slice(0, 2)) },
        { weight: 1, arbitrary: one(...times.slice(2)) },
      ),
      abrupt: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ workers: one("hold" as const, "go on" as const) }) },
  { weight: 2, arbitrary: fc.record({ host: one(...Object.keys(hosts)), is: one("dead" as const, "alive" as const) }) },
  { weight: 3, arbitrary: fc.constant({ sweep: true as const }) },
  { weight: 1, arbitrary: fc.record({ declareLost: one(...Object.keys(hosts)) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      maintain: one(...Object.keys(hosts)),
      mode: one("stop" as const, "move" as const, "nothing" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ endMaintenance: one(...Object.keys(hosts)) }) },
  { weight: 2, arbitrary: fc.constant({ jobs: true as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      accident: one("halts" as const, "is lost" as const),
      account: one(...customers),
      nth: fc.nat({ max: 5 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ crash: fc.array(command, { maxLength: 4 }), afterMs: fc.nat({ max: 12 }) }) },
);

/** What moves take: an instance is launched, stopped, moved while something else may happen, and started again. */
const relocation: fc.Arbitrary<readonly Step[]> = fc
  .record({
    account: one(...customers),
    type: one("solo", "plain"),
    hurried: fc.boolean(),
    host: maybe(one(...Object.keys(hosts)), 4),
    beside: fc.array(command, { maxLength: 2 }),
    between: fc.array(step, { maxLength: 1 }),
    starts: rarely(fc.constant(true), fc.constant(false), 3),
  })
  .map(({ account, type, hurried, host, beside, between, starts }): readonly Step[] => {
    const who = { account, token: "main" as const };
    const order = { type, region: "any", quantity: 1, named: true, keys: [], fileSystems: [] };
    const refs: readonly Ref[] = [{ whose: "own", nth: latest, written: "plain" }];
    const move = present({ do: "move" as const, account, nth: latest, host });
    return [
      { ask: [{ do: "launch", via: "control", who, order }], hurried: false },
      { pass: 170, abrupt: false },
      { ask: [{ do: "stop", via: "M", who, refs }], hurried: false },
      { pass: 170, abrupt: false },
      { ask: [move, ...beside], hurried },
      ...between,
      ...(starts ? [{ ask: [{ do: "restart" as const, via: "M" as const, who, refs }], hurried }] : []),
    ];
  });

/** Not longer, or short times would add up to long ones, and what is known of them would not be exact. */
const mostSteps = 16;

export const script: fc.Arbitrary<Script> = fc.record({
  seconds: one(0, 100),
  steps: fc
    .array(
      fc.oneof(
        { weight: 8, arbitrary: step.map((single): readonly Step[] => [single]) },
        { weight: 1, arbitrary: relocation },
      ),
      { minLength: 1, maxLength: mostSteps, size: "max" },
    )
    .map((parts) => parts.flat().slice(0, mostSteps)),
});

/** Without what is undefined. */
function present<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as never; // undefined is absent
}
