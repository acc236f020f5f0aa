// Which reads an event makes out of date.

import { describe, expect, it } from "vitest";
import { eventTypes } from "../../../src/rental/events/event-types.ts";
import { touchedBy } from "./touched.ts";

describe("an event", () => {
  it("of any type that the service records touches more than the lists of events", () => {
    const untouched = eventTypes.filter((type) => touchedBy(type).length <= 2);
    expect(untouched).toEqual([]);
  });

  it("of an instance that becomes active invalidates instances, capacity and money", () => {
    expect(touchedBy("instance.active")).toEqual(expect.arrayContaining(["instances", "offers", "usage", "events"]));
  });

  it("of progress invalidates the instance alone: there are many of them", () => {
    expect(touchedBy("instance.progress")).toEqual(["instances", "events", "audit-log"]);
  });

  it("of a key invalidates the keys, and no instance", () => {
    expect(touchedBy("ssh_key.created")).toContain("ssh-keys");
    expect(touchedBy("ssh_key.created")).not.toContain("instances");
  });

  it("of a type that a newer service has touches the lists of events", () => {
    expect(touchedBy("moon.risen")).toEqual(["events", "audit-log"]);
  });
});
