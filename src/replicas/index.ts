// The servers that run on one database: who they are, and whether they still live. What other rooms may use.

export { keepPresent, type Presence } from "./presence.ts";
export {
  deleteExpired,
  enterReplica,
  expirySeconds,
  type Joining,
  liveReplicas,
  noteKeyIds,
  noteKeys,
  noteSealing,
  type Replica,
} from "./replica-store.ts";
