// How the control interface says that GPUs are being reset or validated, and when they are expected back. For customers
// too: without their hosts.

import { Type } from "typebox";
import type { ReturningGpus } from "../../../rules/gpu-return.ts";
import * as field from "../fields.ts";

const why =
  "An estimate from the last resets and validations of the model, rounded up to a whole minute. Null: there is none, " +
  "because none was measured, or because it is retried or takes longer.";

/** When one GPU or several are back. */
export const backAt = () => field.orNull(field.timestamp(), why);

const batch = { gpus: Type.Integer({ description: "How many are back then." }), back_at: backAt() };
const Returning = Type.Object(batch, { title: "ReturningGpus" });
const ReturningInRegion = Type.Object(
  { region: field.name("us-east-1"), ...batch },
  { title: "ReturningGpusOfRegion" },
);

const what =
  "GPUs of its model that no instance can get yet, because they are being reset or validated: by when they are expected " +
  "back, the soonest first. Only on hosts that accept instances.";

export const returning = () => Type.Array(Returning, { description: what });
export const returningByRegion = () => Type.Array(ReturningInRegion, { description: `If it does not fit: ${what}` });

export function returningView(all: readonly ReturningGpus[]) {
  return all.map(({ gpus, backAt: at }) => ({ gpus, back_at: at?.toISOString() ?? null }));
}

/** For the document. */
export const exampleReturning = [{ gpus: 2, backAt: new Date("2026-03-01T12:03:00.000Z") }] as const;
