// The launch that an order becomes.

import { describe, expect, it } from "vitest";
import { emptyOrder, launchBody } from "./order.ts";

describe("a launch", () => {
  it("says nothing that the service says itself", () => {
    expect(launchBody(emptyOrder, "gpu_1x_a6000")).toEqual({ instance_type: "gpu_1x_a6000" });
    expect(launchBody({ ...emptyOrder, name: "  ", command: "\n", coupon: " " }, "x")).toEqual({ instance_type: "x" });
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
      fileSystems: ["models"],
      command: "set -e\nnvidia-smi\n",
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
      command: "set -e\nnvidia-smi\n",
    });
  });

  it("leaves out lines of the form in which nothing was typed", () => {
    const envVars = [
      { id: 1, key: "", value: "" },
      { id: 2, key: "A", value: "" },
    ];
    expect(launchBody({ ...emptyOrder, envVars }, "x").env_vars).toEqual({ A: "" });
  });
});
