import { describe, expect, it } from "vitest";
import { machineSpec } from "../../../test/support/fake-incus/stand.ts";
import type { ApiInstance } from "./api.ts";
import { instanceName, isTold, labelsOf, machineIdIn, machineIdOf, marks, volumeName } from "./labels.ts";

const id = "0199a8f0-7c1e-7e55-8f00-0123456789ab";

function instance(config: ApiInstance["config"]): ApiInstance {
  return { name: "any", status: "Stopped", type: "container", last_used_at: "", config };
}

describe("a name", () => {
  it("of an instance is a valid host name of at most 63 characters", () => {
    expect(instanceName(id)).toMatch(/^[a-z][a-z0-9-]{0,61}[a-z0-9]$/);
  });

  it("of a volume is made from the file system's id", () => {
    expect(volumeName(id)).toBe(`lessor-${id}`);
  });
});

describe("the marks of a machine", () => {
  it("tell its id to its installation, and to no other", () => {
    const ours = instance(labelsOf(machineSpec({ id }), "one"));
    expect(machineIdOf(ours, "one")).toBe(id);
    expect(machineIdOf(ours, "two")).toBeUndefined();
    expect(machineIdOf(ours, "")).toBeUndefined();
  });

  it.each([
    ["no configuration", null],
    ["no marks", {}],
    ["an instance's mark only", { [marks.instance]: id }],
  ])("are missing where there is %s", (_what, config) => {
    expect(machineIdOf(instance(config), "one")).toBeUndefined();
  });

  it("are all of the kind that the cluster lets users set", () => {
    expect(Object.values(marks).filter((mark) => !mark.startsWith("user.lessor."))).toEqual([]);
  });

  it("do not say that it was told", () => {
    expect(isTold(instance(labelsOf(machineSpec(), "one")))).toBe(false);
    expect(isTold(instance({ [marks.told]: "true" }))).toBe(true);
    expect(isTold(instance(null))).toBe(false);
  });
});

describe("the source of an event", () => {
  it.each([
    `/1.0/instances/lessor-${id}`,
    `/1.0/instances/lessor-${id}?project=default`,
    `/1.0/instances/lessor-${id}/state`,
    `/1.0/containers/lessor-${id}`,
    `/1.0/virtual-machines/lessor-${id}`,
  ])("%s is about a machine", (source) => {
    expect(machineIdIn(source)).toBe(id);
  });

  it.each([
    "",
    "/1.0/instances/operators-own",
    `/1.0/instances/lessor-${id}-clone`,
    `/1.0/instances/lessor-${id.slice(1)}`,
    `/1.0/instances/other-lessor-${id}`,
    `/1.0/instances/lessor-${id.toUpperCase()}`,
    `/1.0/instances/lessor-${id.replaceAll("-", "")}`,
    `/1.0/instances/lessor-${id.replaceAll("-", "0")}`,
    `/1.0/instances/lessor-${id.replace("0199a8f0-", "-0199a8f0")}`,
    `/1.0/instances/lessor-${id.replace("ab", "ag")}`,
    `/1.0/instances/lessor-${"-".repeat(36)}`,
    `/1.0/images/lessor-${id}`,
    `/1.0/operations/${id}`,
    `https://elsewhere/1.0/instances/lessor-${id}`,
  ])("%j is about none of ours", (source) => {
    expect(machineIdIn(source)).toBeUndefined();
  });
});
