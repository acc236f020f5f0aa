// The launch that an order becomes.

import { describe, expect, it } from "vitest";
import { emptyOrder, launchBody } from "./order.ts";

describe("a launch", () => {
  it("says nothing that the service says itself", () => {
    expect(launchBody(emptyOrder, "gpu_1x_a6000")).toEqual({ instance_type: "gpu_1x_a6000" });
    expect(launchBody({ ...emptyOrder, name: "  ", command: "\n", coupon: " ", userData: "\n" }, "x")).toEqual({
      instance_type: "x",
    });
  });

  it("has everything that was chosen, under the names of the control API", () => {
    const order = {
      ...emptyOrder,
      region: "eu-central-1",
      image: "ubuntu-24.04-cuda",
      sshKeys: ["laptop", "ci"],
      quantity: 2,
      name: " training ",
      coupon: " SPRING10 ",
      envVars: [{ id: 1, key: "HF_TOKEN", value: " secret " }],
      fileSystems: [
        { id: "id-1", name: "models", mountPoint: "" },
        { id: "id-2", name: "data", mountPoint: "/data" },
      ],
      command: "set -e\nnvidia-smi\n",
      userData: "#cloud-config\npackages: [git]\n",
      lifetime: "1.5",
      maxPrice: "$2.50",
      hostSelector: " rack=r12 ",
      idle: { action: "stop" as const, minutes: 30 },
    };
    expect(launchBody(order, "gpu_1x_a6000")).toEqual({
      instance_type: "gpu_1x_a6000",
      region: "eu-central-1",
      image: "ubuntu-24.04-cuda",
      ssh_key_names: ["laptop", "ci"],
      quantity: 2,
      name: "training",
      coupon: "SPRING10",
      env_vars: { HF_TOKEN: " secret " },
      file_system_names: ["models"],
      file_system_mounts: [{ mount_point: "/data", file_system_id: "id-2" }],
      user_data: "#cloud-config\npackages: [git]\n",
      max_lifetime_seconds: 5400,
      max_price_cents_per_hour: 250,
      host_selector: "rack=r12",
      idle_rule: { action: "stop", minutes: 30 },
      command: "set -e\nnvidia-smi\n",
    });
  });

  it("asks for a password only where there is no key", () => {
    expect(launchBody({ ...emptyOrder, password: true }, "x").password_without_keys).toBe(true);
    expect(launchBody({ ...emptyOrder, password: true, sshKeys: ["laptop"] }, "x")).not.toHaveProperty(
      "password_without_keys",
    );
  });

  it("leaves out what is no number", () => {
    expect(launchBody({ ...emptyOrder, lifetime: "x", maxPrice: "x" }, "x")).toEqual({ instance_type: "x" });
  });

  it("leaves out lines of the form in which nothing was typed", () => {
    const envVars = [
      { id: 1, key: "", value: "" },
      { id: 2, key: "A", value: "" },
    ];
    expect(launchBody({ ...emptyOrder, envVars }, "x").env_vars).toEqual({ A: "" });
  });
});
