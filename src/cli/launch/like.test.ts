// What `lessor launch --like` takes of an instance, and what it says that it cannot.

import { expect, it } from "vitest";
import type { Instance } from "../instances.ts";
import { copied, notCopied } from "./like.ts";

const instance = {
  name: "training",
  status: "active",
  instance_type: { name: "gpu_1x_a10" },
  region: { name: "us-east-1" },
  image: { name: "ubuntu-24.04" },
  ssh_key_names: ["laptop"],
  tags: [{ key: "team", value: "vision" }],
  firewall_ruleset_ids: ["1"],
  file_system_mounts: [{ mount_point: "/data", file_system_id: "2" }],
  max_lifetime_seconds: null,
  login: "ssh_key",
  command: "true",
  coupon: null,
  has_env_vars: false,
  has_user_data: false,
} as unknown as Instance; // of all its fields those that matter

it("is everything that can be read, without the name while that is in use", () => {
  expect(copied(instance, 1)).toEqual({
    instance_type: "gpu_1x_a10",
    region: "us-east-1",
    image: "ubuntu-24.04",
    ssh_key_names: ["laptop"],
    tags: [{ key: "team", value: "vision" }],
    firewall_ruleset_ids: ["1"],
    file_system_mounts: [{ mount_point: "/data", file_system_id: "2" }],
    max_lifetime_seconds: null,
    command: "true",
  });
  expect(notCopied(instance, 1)).toEqual([]);
});

it("is the name too of one that has ended, and its way to log in", () => {
  const ended = { ...instance, status: "terminated", login: "password" } as const;
  expect(copied(ended, 1)).toMatchObject({ name: "training", password_without_keys: true });
});

it("names what has to be given again", () => {
  const more = { has_env_vars: true, has_user_data: true, coupon: { code: "WELCOME10", discount_percent: 10 } };
  expect(notCopied({ ...instance, ...more }, 2)).toEqual([
    "environment variables (--env-file)",
    "user data (--user-data)",
    "the coupon (--coupon)",
    "file systems",
  ]);
  expect(copied(instance, 2)).not.toHaveProperty("file_system_mounts");
});
