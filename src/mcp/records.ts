// The response fields that the tools read, checked on arrival. The service may send more fields; the agent gets the
// whole response.

import { type Static, type TSchema, Type } from "typebox";
import { Compile } from "typebox/compile";
import { ServiceError } from "./service-client.ts";

/** An instance of the control interface. */
export const InstanceRecord = Type.Object({
  id: Type.String(),
  name: Type.String(),
  status: Type.String(),
  health: Type.String(),
  progress: Type.Union([Type.String(), Type.Null()]),
  failure: Type.Union([Type.Object({ message: Type.String() }), Type.Null()]),
  ip: Type.Union([Type.String(), Type.Null()]),
  login_user: Type.String(),
  region: Type.Object({ name: Type.String() }),
  instance_type: Type.Object({ name: Type.String(), price_cents_per_hour: Type.Integer() }),
  file_system_names: Type.Array(Type.String()),
  cost_cents: Type.String(),
  spot: Type.Boolean(),
  evict_at: Type.Union([Type.String(), Type.Null()]),
});
export type InstanceRecord = Static<typeof InstanceRecord>;

/** An entry of M's listing of instance types. */
export const ProductRecord = Type.Object({
  instance_type: Type.Object({
    name: Type.String(),
    description: Type.String(),
    price_cents_per_hour: Type.Integer(),
    specs: Type.Object({ vcpu_count: Type.Integer(), memory_gib: Type.Integer(), storage_gb: Type.Integer() }),
  }),
  regions_with_capacity_available: Type.Array(Type.Object({ name: Type.String() })),
  capacity_available: Type.Integer(),
});
export const ProductRecords = Type.Record(Type.String(), ProductRecord);

/** An entry of the control interface's listing of instance types. */
export const OfferRecords = Type.Array(
  Type.Object({
    instance_type: Type.Object({
      name: Type.String(),
      spot_price_cents_per_hour: Type.Union([Type.Integer(), Type.Null()]),
    }),
  }),
);

/** A launch that waits, or waited. */
const WaitingLaunchRecord = Type.Object({
  id: Type.String(),
  state: Type.String(),
  instance_type: Type.String(),
  quantity: Type.Integer(),
  spot: Type.Boolean(),
  position: Type.Union([Type.Integer(), Type.Null()]),
  until: Type.String(),
  expected_at: Type.Union([Type.String(), Type.Null()]),
  blocked_message: Type.Union([Type.String(), Type.Null()]),
  reason: Type.Union([Type.String(), Type.Null()]),
  instance_ids: Type.Array(Type.String()),
});
export type WaitingLaunchRecord = Static<typeof WaitingLaunchRecord>;
export const WaitingLaunchRecords = Type.Array(WaitingLaunchRecord);
/** One that is read by itself: with all that is known of its wait, in sentences. */
export const ExplainedLaunchRecord = Type.Object({ explanation: Type.Array(Type.String()) });
/** What a launch is answered with that waits. */
export const WaitingLaunchAnswer = Type.Object({ launch: WaitingLaunchRecord });

/** What the account is notified of, and where there is capacity. */
export const CapacityNoticeRecord = Type.Object({
  id: Type.String(),
  instance_type: Type.Union([Type.String(), Type.Null()]),
  region: Type.Union([Type.String(), Type.Null()]),
  available: Type.Array(Type.Object({ instance_type: Type.String(), region: Type.String() })),
});
export type CapacityNoticeRecord = Static<typeof CapacityNoticeRecord>;
export const CapacityNoticeRecords = Type.Array(CapacityNoticeRecord);

/** Capacity that is promised to the account for a time. */
export const ReservationRecord = Type.Object({
  id: Type.String(),
  name: Type.String(),
  state: Type.String(),
  instance_type: Type.String(),
  region: Type.String(),
  quantity: Type.Integer(),
  used: Type.Integer(),
  from: Type.String(),
  to: Type.String(),
  cost_cents: Type.String(),
  reason: Type.Union([Type.String(), Type.Null()]),
});
export type ReservationRecord = Static<typeof ReservationRecord>;
export const ReservationRecords = Type.Array(ReservationRecord);

/** What a reservation would cost, and where it would be. */
export const ReservationQuoteRecord = Type.Object({
  instance_type: Type.String(),
  quantity: Type.Integer(),
  from: Type.String(),
  to: Type.String(),
  price_cents_per_hour: Type.Integer(),
  cost_cents: Type.String(),
  fits: Type.Boolean(),
  region: Type.Union([Type.String(), Type.Null()]),
  fits_from: Type.Union([Type.String(), Type.Null()]),
  fits_in: Type.Array(Type.Object({ region: Type.String(), available: Type.Integer() })),
});
export type ReservationQuoteRecord = Static<typeof ReservationQuoteRecord>;

export const InstanceRecords = Type.Array(InstanceRecord);
export const KeyRecord = Type.Object({ id: Type.String(), name: Type.String() });
export const KeyRecords = Type.Array(KeyRecord);

/** The account of the token. */
export const AccountRecord = Type.Object({
  name: Type.String(),
  spend_limit_cents: Type.Union([Type.Integer(), Type.Null()]),
  spent_this_month_cents: Type.Union([Type.String(), Type.Null()]),
  token: Type.Object({ id: Type.String(), scopes: Type.Array(Type.String()) }),
});

/** What an instance used over a time. */
export const MetricsRecord = Type.Object({
  series: Type.Array(
    Type.Object({
      metric: Type.String(),
      gpu: Type.Union([Type.Integer(), Type.Null()]),
      values: Type.Array(Type.Union([Type.Number(), Type.Null()])),
    }),
  ),
  faults: Type.Array(Type.Object({ gpu: Type.Integer(), xid: Type.Integer(), meaning: Type.String() })),
});
export type MetricsRecord = Static<typeof MetricsRecord>;

/** Each schema is compiled once. */
const compiled = new WeakMap<TSchema, ReturnType<typeof Compile>>();

/** Returns the whole value if it matches the schema. Throws ServiceError otherwise. */
export function checked<T extends TSchema>(schema: T, value: unknown): Static<T> {
  const validator = compiled.get(schema) ?? Compile(schema);
  compiled.set(schema, validator);
  // It has just been checked.
  if (validator.Check(value)) return value as Static<T>;
  throw new ServiceError({
    message: "The response is not from a Lessor service.",
    suggestion: "Check that the address is that of a Lessor service of the same version.",
  });
}
