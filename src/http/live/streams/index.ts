// Streams of events: what the rest of this room may use.

export { EventHub, type HubSettings } from "./hub.ts";
export { OpenConnectionCounts } from "./places.ts";
export { Sink } from "./sink.ts";
