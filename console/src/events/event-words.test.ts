// Events as sentences for people.

import { describe, expect, it } from "vitest";
import { eventTypes } from "../../../src/rental/events/event-types.ts";
import { eventDetail, eventInstance, eventSubject, eventTitle, eventTone } from "./event-words.ts";

const event = (type: string, data: object = {}) => ({ id: "1", type, timestamp: "2026-03-01T12:00:00.000Z", data });

describe("an event", () => {
  it("of every type is a sentence, with a capital and without the signs of a program", () => {
    const wrong = eventTypes.filter((type) => !/^[A-Z][A-Za-z',]*( [A-Za-z',]+)*$/.test(eventTitle(event(type))));
    expect(wrong).toEqual([]);
  });

  it("of a boot begins with the state's word, and says then what is waited for", () => {
    const titles = [
      event("instance.booting"),
      event("instance.progress", { state: "booting", progress: "Waiting for an address" }),
      event("instance.progress", { progress: "SSH" }),
      event("instance.active"),
    ].map(eventTitle);
    expect(titles).toEqual(["Booting", "Boot progress: waiting for an address", "Boot progress: SSH", "Active"]);
    expect(eventTitle(event("instance.progress", { state: "stopping", progress: "halting" }))).toBe(
      "Progress: halting",
    );
  });

  it("of a type that a newer service has is read from its name", () => {
    expect(eventTitle(event("ssh_key.renamed"))).toBe("SSH key renamed");
  });

  it("names what it is about, and leads to its instance", () => {
    expect(eventSubject(event("instance.active", { name: "training", instance_id: "7" }))).toBe("training");
    expect(eventSubject(event("webhook.created", { url: "https://example.com" }))).toBe("https://example.com");
    expect(eventSubject(event("account.firewall_changed"))).toBe("");
    expect(eventSubject(event("gpu.quarantined", { host: "h1", address: "0000:10:00.0" }))).toBe("h1 0000:10:00.0");
    const capacity = { instance_type: "gpu_1x_h100", region: "north", available: 1 };
    expect(eventSubject(event("capacity.available", { capacity }))).toBe("gpu_1x_h100 in north");
    expect(eventInstance(event("instance.active", { instance_id: "7" }))).toBe("7");
    expect(eventInstance(event("token.created"))).toBeUndefined();
  });

  it("gives its reason, or its limit", () => {
    expect(eventDetail(event("instance.failed", { message: "No image." }))).toBe("No image.");
    expect(eventDetail(event("webhook.disabled", { reason: "gone" }))).toBe("gone");
    expect(eventDetail(event("instance.stopping", { reason: "Done for today" }))).toBe("Done for today");
    expect(eventDetail(event("instance.stopping", { reason: "Maintenance", by: "operator" }))).toBe(
      "by the provider: Maintenance",
    );
    expect(eventDetail(event("account.spend_limit_near", { spend_limit_cents: 5000 }))).toBe("Limit: $50.00 a month");
    expect(eventDetail(event("instance.active"))).toBeUndefined();
  });

  it("that is bad news looks like it", () => {
    expect(["instance.failed", "instance.unreachable", "instance.active", "ssh_key.created"].map(eventTone)).toEqual([
      "bad",
      "warn",
      "good",
      "plain",
    ]);
  });
});
