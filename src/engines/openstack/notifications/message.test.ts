import { describe, expect, it } from "vitest";
import { enveloped, unversioned, versioned } from "../../../../test/support/notification-bodies.ts";
import { hintIn } from "./message.ts";

const machineId = "01234567-89ab-7def-8123-456789abcdef";
const facts = { name: `lessor-${machineId}`, project: "p1" };
const plain = (message: unknown) => Buffer.from(JSON.stringify(message));

describe("a notification about a machine", () => {
  it.each([
    ["versioned, in an envelope", enveloped(versioned(facts))],
    ["versioned, without one", plain(versioned(facts))],
    ["unversioned, in an envelope", enveloped(unversioned(facts))],
    ["unversioned, without one", plain(unversioned(facts))],
  ])("is a hint: %s", (_, body) => {
    expect(hintIn(body, "p1")).toEqual({ machineId, status: "SHUTOFF" });
  });

  it.each([
    ["instance.update", "building", "BUILD"],
    ["instance.create.end", "active", "ACTIVE"],
    ["instance.delete.end", "deleted", "DELETED"],
    ["instance.update", "error", "ERROR"],
    ["instance.update", null, ""],
    ["instance.update", "constructor", "CONSTRUCTOR"],
  ])("tells the state in the words of the API: %s of one that is %s", (event, state, status) => {
    expect(hintIn(enveloped(versioned({ ...facts, event, state })), "p1")).toEqual({ machineId, status });
  });
});

describe("nothing is a hint", () => {
  it.each([
    ["about another project's server", enveloped(versioned({ ...facts, project: "p2" }))],
    ["about a server that is not Lessor's", enveloped(versioned({ ...facts, name: "lessor-of-things" }))],
    ["that tells of every server each hour", enveloped(versioned({ ...facts, event: "instance.exists" }))],
    ["the same, unversioned", enveloped(unversioned({ ...facts, event: "compute.instance.exists" }))],
    ["about something else", enveloped({ ...versioned(facts), event_type: "scheduler.select_destinations.end" })],
    ["without a payload", enveloped({ event_type: "instance.update", lessor: facts.name })],
    ["whose payload is a list", enveloped({ event_type: "instance.update", payload: [facts.name] })],
    ["of numbers", plain({ event_type: 1, payload: { tenant_id: 1, display_name: facts.name } })],
    ["with an envelope without JSON", plain({ "oslo.message": `{${facts.name}` })],
    ["without JSON", Buffer.from(`lessor-${machineId}`)],
    ["null", Buffer.from("null")],
    ["empty", Buffer.alloc(0)],
    ["of bytes that are no text", Buffer.concat([Buffer.from([0xff, 0xfe, 0]), Buffer.from(facts.name)])],
    ["larger than a megabyte", enveloped({ ...versioned(facts), more: "x".repeat(2 ** 20) })],
  ])("%s", (_, body) => {
    expect(hintIn(body, "p1")).toBeUndefined();
  });
});
