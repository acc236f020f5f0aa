// What a notification of Nova says, versioned or unversioned, with or without the envelope of oslo.messaging. Pure.
//
// Invariant: whatever a message contains, nothing is thrown, and nothing of it is kept but the id of a machine and its
// status: a server's metadata, which can have secrets, is in it. Messages about others cost a search for a few bytes.

import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";
import { machineIdIn, machineName } from "../labels.ts";

/** A machine that might have changed. */
export interface Hint {
  readonly machineId: string;
  /** In the words of Nova's API, as far as the engine needs them. */
  readonly status: string;
}

/** Nova's are a few kilobytes. */
const MOST_BYTES = 2 ** 20;

const Envelope = Compile(Type.Object({ "oslo.message": Type.String() }));

const MaybeText = Type.Optional(Type.Union([Type.Null(), Type.String()]));
const ServerSchema = Type.Object({ tenant_id: Type.String(), display_name: Type.String(), state: MaybeText });
const Notification = Compile(
  Type.Object({
    event_type: Type.String(),
    payload: Type.Union([Type.Object({ "nova_object.data": ServerSchema }), ServerSchema]),
  }),
);

/** Undefined: it is not about a machine of the project. */
export function hintIn(body: Buffer, project: string): Hint | undefined {
  // A name of ours begins so, also within JSON that is text within JSON.
  if (body.length > MOST_BYTES || !body.includes(machineName(""))) return undefined;
  const outer = parsed(body.toString("utf8"));
  const message = Envelope.Check(outer) ? parsed(outer["oslo.message"]) : outer;
  if (!Notification.Check(message)) return undefined;
  // `exists` tells the same of every server each hour, for billing.
  if (!/^(compute\.)?instance\.(?!exists)/.test(message.event_type)) return undefined;
  const server = serverIn(message.payload);
  const machineId = machineIdIn([server.display_name]);
  if (machineId === undefined || server.tenant_id !== project) return undefined;
  return { machineId, status: statusOf(server.state ?? "") };
}

type Server = Static<typeof ServerSchema>;

function serverIn(payload: Server | { readonly "nova_object.data": Server }): Server {
  return "nova_object.data" in payload ? payload["nova_object.data"] : payload;
}

const statuses: Readonly<Record<string, string>> = { building: "BUILD", stopped: "SHUTOFF" };

function statusOf(state: string): string {
  return (Object.hasOwn(statuses, state) ? statuses[state] : undefined) ?? state.toUpperCase();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
