// What happened in the fixed world, and who asked for it: events, the audit log, webhooks and what was sent to them.

import type { Shape } from "../../../../src/client/client.ts";
import { instances } from "./instances.ts";
import { ago, day, hour, idOf, minute } from "./moments.ts";
import { members } from "./people.ts";

export const events: Shape<"Event">[] = instances.flatMap((one, index) => {
  const data = { instance_id: one.id, name: one.name, state: one.status } as never;
  const event = (number: number, type: string, timestamp: string) => ({
    id: idOf("event", number),
    type,
    timestamp,
    account_id: one.account_id,
    data,
  });
  const launched = event(2 * index + 1, "instance.launched", one.created_at);
  return one.active_at === null ? [launched] : [launched, event(2 * index + 2, "instance.active", one.active_at)];
});

const asked = [
  ["putCoupon", "PUT", "H100WEEK", "control", "done", 200],
  ["cordonHost", "POST", "us-west-1-h100-sxm5-03", "control", "done", 200],
  ["launchInstances", "POST", "training-run-7", "marketplace", "refused", 409],
  ["launchInstances", "POST", "training-run-7", "marketplace", "done", 200],
  ["terminateInstances", "POST", "customer-4417", "marketplace", "replayed", 200],
  ["changeAccount", "PATCH", "late-payer", "control", "done", 200],
  ["createToken", "POST", "ci", "control", "failed", 500],
] as const;

/** What was made or changed stands there with its id. */
function objectsOf(operation: string, object: string, result: string): string[] {
  if (operation === "changeAccount") return [idOf("account", 5)];
  if (operation === "terminateInstances") return [idOf("instance", 2), idOf("instance", 4417)];
  return result === "done" && operation === "launchInstances" ? [object, idOf("instance", 1)] : [object];
}

/** Who asked for an entry; null: a program, or an operator. */
function personOf(number: number): Shape<"Named"> | null {
  const person = number === 2 ? undefined : members[number];
  return person === undefined ? null : { id: person.id, name: person.name };
}

export const auditEntries: Shape<"AuditEntry">[] = asked.map(
  ([operation, method, object, room, result, status], index) => ({
    id: idOf("entry", index + 1),
    at: ago((index + 1) * 37 * minute),
    account_id: idOf("account", 1 + (index % 4)),
    // Every third was asked for with a token that no list has.
    token_id: idOf("token", index % 3 === 2 ? 70 + index : 1 + (index % 3)),
    person: personOf(index % 3),
    changed_account_id: operation === "changeAccount" ? idOf("account", 5) : null,
    address: "192.0.2.7",
    interface: room,
    operation,
    method,
    objects: objectsOf(operation, object, result),
    result,
    status,
    error_code: status === 409 ? "instance-operations/launch/insufficient-capacity" : null,
    reason: null,
    request_id: idOf("entry", 500 + index),
  }),
);

export const fileSystems: Shape<"FileSystem">[] = [
  {
    id: idOf("file-system", 1),
    name: "models",
    region: "us-east-1",
    size_gb: 2000,
    attached_to: idOf("instance", 1),
    instance_ids: [idOf("instance", 1), idOf("instance", 2)],
    multi_attach: true,
    bytes_used: 734_003_200_000,
    lost_at: null,
    blocked: false,
    created_at: ago(30 * day),
  },
  {
    id: idOf("file-system", 2),
    name: "scratch",
    region: "us-west-1",
    size_gb: 500,
    attached_to: null,
    instance_ids: [],
    multi_attach: false,
    bytes_used: null,
    lost_at: null,
    blocked: false,
    created_at: ago(4 * day),
  },
];

export const webhooks: Shape<"Webhook">[] = [
  webhook(1, "https://hooks.example.com/lessor", "Billing", {}),
  webhook(2, "https://old.example.com/in", "Former billing", {
    active: false,
    disabled_reason: "failing",
    failing_since: ago(9 * day),
    last_failure: { error: "connection_refused", status_code: null },
  }),
];

export const deliveries: Shape<"Delivery">[] = [
  {
    id: idOf("delivery", 2),
    event_id: idOf("event", 2),
    event_type: "instance.active",
    status: "pending",
    asked_for: false,
    attempts: 2,
    next_attempt_at: ago(-40),
    created_at: ago(3 * minute),
    finished_at: null,
  },
  {
    id: idOf("delivery", 1),
    event_id: idOf("event", 1),
    event_type: "instance.launched",
    status: "delivered",
    asked_for: false,
    attempts: 1,
    next_attempt_at: null,
    created_at: ago(hour),
    finished_at: ago(hour - 1),
  },
];

function webhook(number: number, url: string, description: string, more: Partial<Shape<"Webhook">>): Shape<"Webhook"> {
  return {
    id: idOf("webhook", number),
    url,
    description,
    event_types: ["instance.*"],
    active: true,
    disabled_reason: null,
    pending_deliveries: number === 1 ? 1 : 0,
    failing_since: null,
    last_failure: null,
    paused_until: null,
    previous_secret_until: null,
    created_at: ago(40 * day),
    ...more,
  };
}

export const deliveryInFull: Shape<"DeliveryInFull"> = {
  id: idOf("delivery", 1),
  event_id: idOf("event", 1),
  event_type: "instance.launched",
  status: "delivered",
  asked_for: false,
  attempts: 2,
  next_attempt_at: null,
  created_at: ago(hour),
  finished_at: ago(hour - 31),
  body: JSON.stringify(events[0]),
  log: [
    { at: ago(hour - 1), status_code: 503, milliseconds: 812, error: "status", answer: "busy" },
    { at: ago(hour - 31), status_code: 204, milliseconds: 95, error: null, answer: "" },
  ],
};

export const sshKeys: Shape<"SshKey">[] = [
  sshKey(1, "laptop", "SHA256:u0h5pQxkX2nB6mT8yTqkz3lZ7vE4rW1sC9aD2fG5hJ8", 40),
  sshKey(2, "ci", "SHA256:Z7vE4rW1sC9aD2fG5hJ8u0h5pQxkX2nB6mT8yTqkz3l", 3),
];

function sshKey(number: number, name: string, fingerprint: string, days: number): Shape<"SshKey"> {
  const publicKey = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKx2vX0${number} ${name}`;
  return { id: idOf("key", number), name, public_key: publicKey, fingerprint, created_at: ago(days * day) };
}
