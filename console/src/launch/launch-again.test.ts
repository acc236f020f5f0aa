// The order for another instance like one.

import { describe, expect, it } from "vitest";
import type { Shape } from "../../../src/client/client.ts";
import { launchAgainId, launchAgainPath, notShown, orderFrom } from "./launch-again.ts";
import { emptyOrder, launchBody } from "./order.ts";

const id = "0198c5a4-33cc-7dd4-9ee5-ff6677889900";
const fileSystem = (name: string, more: Partial<Shape<"FileSystem">> = {}) => ({
  id: `id-${name}`,
  name,
  attached_to: null,
  multi_attach: false,
  ...more,
});

/** What the order is taken from. */
const instance = {
  id,
  name: "training",
  instance_type: { name: "gpu_1x_a10" },
  region: { name: "us-east-1", description: "Virginia, USA" },
  image: { name: "ubuntu-24.04-cuda", number: 1, description: "" },
  ssh_key_names: ["laptop", "deleted"],
  coupon: { code: "SPRING10", discount_percent: 10 },
  command: "nvidia-smi",
  tags: [{ key: "team", value: "vision" }],
  firewall_ruleset_ids: ["set-1"],
  file_system_mounts: [
    { file_system_id: "id-models", mount_point: "/mnt/models" },
    { file_system_id: "id-data", mount_point: "/data" },
    { file_system_id: "id-taken", mount_point: "/mnt/taken" },
    { file_system_id: "id-shared", mount_point: "/mnt/shared" },
    { file_system_id: "id-gone", mount_point: "/mnt/gone" },
  ],
  max_lifetime_seconds: 28_800,
  idle_rule: { action: "notify", minutes: 45 },
  login: "ssh_key",
  has_env_vars: true,
  has_user_data: false,
} as unknown as Shape<"Instance">;

const existing = {
  keys: [{ name: "laptop" }],
  images: [{ name: "ubuntu-24.04-cuda" }],
  fileSystems: [
    fileSystem("models"),
    fileSystem("data"),
    fileSystem("taken", { attached_to: id }),
    fileSystem("shared", { attached_to: id, multi_attach: true }),
  ],
};

describe("a launch of another instance like one", () => {
  it("asks for the same, without what is gone or attached elsewhere", () => {
    expect(launchBody(orderFrom(instance, existing), "gpu_1x_a10")).toEqual({
      instance_type: "gpu_1x_a10",
      region: "us-east-1",
      name: "training",
      image: "ubuntu-24.04-cuda",
      ssh_key_names: ["laptop"],
      coupon: "SPRING10",
      command: "nvidia-smi",
      tags: [{ key: "team", value: "vision" }],
      firewall_ruleset_ids: ["set-1"],
      file_system_names: ["models", "shared"],
      file_system_mounts: [{ file_system_id: "id-data", mount_point: "/data" }],
      max_lifetime_seconds: 28_800,
      idle_rule: { action: "notify", minutes: 45 },
    });
  });

  it("takes no default name, and the default image where the image is gone", () => {
    const former = { ...instance, name: `gpu_1x_a10-${id.slice(-8)}` };
    expect(orderFrom(former, { ...existing, images: [] })).toMatchObject({ name: "", image: undefined });
    expect(emptyOrder.image).toBeUndefined();
  });

  it("says what the service does not show again", () => {
    expect(notShown(instance)).toEqual(["environment variables"]);
    expect(notShown({ ...instance, has_env_vars: false, has_user_data: true })).toEqual(["user data"]);
  });

  it("is at an address of its own", () => {
    const { search } = new URL(launchAgainPath(id), "http://console");
    expect(launchAgainId(new URLSearchParams(search))).toBe(id);
    expect(launchAgainId(new URLSearchParams())).toBeUndefined();
  });
});
