// What `lessor launch --like` asks for, and what it says that it does not copy.

import { expect, it } from "vitest";
import type { Instance } from "../instances.ts";
import { copied, notCopied } from "./like.ts";

const instance = {
  id: "3",
  name: "training",
  status: "active",
  instance_type: { name: "gpu_1x_a10" },
  region: { name: "us-east-1" },
  file_system_mounts: [{ mount_point: "/data", file_system_id: "2" }],
  coupon: null,
} as unknown as Instance; // of all its fields those that matter

it("is what the service copies, and the name only of one that has ended", () => {
  const facts = { like: "3", instance_type: "gpu_1x_a10", region: "us-east-1" };
  expect(copied(instance, 1)).toEqual(facts);
  expect(copied({ ...instance, status: "terminated" }, 1)).toEqual({ ...facts, name: "training" });
  expect(copied(instance, 2)).toEqual({ ...facts, file_system_mounts: [] });
});

it("names what is not copied: file systems that another instance has, or for several", () => {
  const file = { id: "2", name: "data", attached_to: null, multi_attach: false };
  expect(notCopied(instance, 1, [file])).toEqual([]);
  expect(notCopied(instance, 2, [file])).toEqual(["the file system data (--fs)"]);
  const taken = { ...file, attached_to: "3" };
  expect(notCopied(instance, 1, [taken, { ...taken, id: "4" }])).toEqual(["the file system data (--fs)"]);
  expect(notCopied(instance, 1, [{ ...taken, multi_attach: true }])).toEqual([]);
  const coupon = { code: "WELCOME10", discount_percent: 10 };
  expect(notCopied({ ...instance, coupon }, 1, [file])).toEqual(["the coupon (--coupon)"]);
});
