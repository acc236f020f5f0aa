// A waiting launch as the control interface shows it. Used by launches.ts and by launches that wait.

import { Type } from "typebox";
import type { WaitingLaunch } from "../../../rental/waiting/waiting-launch.ts";
import {
  blockerMeanings,
  blockers,
  waitingLaunchMeanings,
  waitingLaunchStates,
} from "../../../rules/waiting-launches.ts";
import * as field from "../fields.ts";

const meanings = (table: Readonly<Record<string, string>>) =>
  Object.entries(table)
    .map(([word, meaning]) => `\`${word}\`: ${meaning}`)
    .join(" ");

export const launchState = () =>
  Type.Enum(waitingLaunchStates, { title: "LaunchState", description: meanings(waitingLaunchMeanings) });

export const Launch = Type.Object(
  {
    id: field.uuid(),
    account_id: field.uuid(),
    token_id: field.uuid(),
    state: launchState(),
    instance_type: Type.String(),
    region: field.orNull(Type.String(), "Null: every one."),
    quantity: Type.Integer(),
    max_price_cents_per_hour: field.orNull(Type.Integer(), "Per instance; null: no maximum."),
    spot: Type.Boolean({ description: "Whether it is for spot instances: it waits behind all that are not." }),
    until: field.timestamp(),
    position: field.orNull(
      Type.Integer(),
      "Counted from 1, among all launches that wait for GPUs of its model in its region; null when it is over.",
    ),
    expected_at: field.orNull(field.timestamp(), "When it is expected to be placed; null: not known."),
    blocked_by: field.orNull(
      Type.Enum(blockers, { title: "LaunchBlocker", description: meanings(blockerMeanings) }),
      "What it waits for; null when it is over.",
    ),
    blocked_message: field.orNull(
      Type.String(),
      "The same in words, with the spot instances that are being evicted for it.",
    ),
    reason: field.orNull(Type.String(), "Why it was refused."),
    instance_ids: Type.Array(field.uuid(), { description: "Of its instances, once it is placed." }),
    created_at: field.timestamp(),
    ended_at: field.orNull(field.timestamp(), "Null: it waits."),
  },
  { title: "Launch" },
);

/** One launch, with all that is known of its wait. */
export const ExplainedLaunch = Type.Object(
  {
    ...Launch.properties,
    explanation: Type.Array(Type.String(), {
      description:
        "In words, what it waits for: what comes before it, what each region has, hosts that are kept for it, spot instances that are evicted for it, GPUs that are expected back. Empty when it is over.",
    }),
  },
  { title: "ExplainedLaunch" },
);

export function launchView(launch: WaitingLaunch) {
  return {
    id: launch.id,
    account_id: launch.accountId,
    token_id: launch.tokenId,
    state: launch.state,
    instance_type: launch.instanceType,
    region: launch.region ?? null,
    quantity: launch.quantity,
    max_price_cents_per_hour: launch.maxPriceCentsPerHour,
    spot: launch.isSpot,
    until: launch.until.toISOString(),
    position: launch.ahead === null ? null : launch.ahead + 1,
    expected_at: launch.expectedAt?.toISOString() ?? null,
    blocked_by: launch.blockedBy,
    blocked_message: launch.blockedMessage,
    reason: launch.reason,
    instance_ids: [...launch.instanceIds],
    created_at: launch.createdAt.toISOString(),
    ended_at: launch.endedAt?.toISOString() ?? null,
  };
}

export const example = {
  id: "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d",
  account_id: "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6e",
  token_id: "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6f",
  state: "waiting" as const,
  instance_type: "gpu_8x_h100_sxm5",
  region: null,
  quantity: 1,
  max_price_cents_per_hour: null,
  spot: false,
  until: "2026-03-02T12:00:00.000Z",
  position: 3,
  expected_at: null,
  blocked_by: "capacity" as const,
  blocked_message: "There is not enough capacity for 1 gpu_8x_h100_sxm5.",
  reason: null,
  instance_ids: [],
  created_at: "2026-03-01T12:00:00.000Z",
  ended_at: null,
};

export const exampleExplanation = [
  "There is not enough capacity for 1 gpu_8x_h100_sxm5.",
  "2 launches for GPUs of model H100 come before it.",
  "No host in region us-east-1 has room for an instance; the most free GPUs on one host are 3 of 8.",
];
