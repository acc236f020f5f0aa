import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { loadConfig } from "../config.ts";

/** The settings of webhooks that this lessor.yaml makes. */
async function webhooks(yaml: string) {
  const cwd = await temporaryDirectory();
  await mkdir(cwd, { recursive: true });
  await writeFile(join(cwd, "lessor.yaml"), yaml);
  return loadConfig({ env: {}, cwd }).webhooks;
}

describe("webhooks in lessor.yaml", () => {
  it("reach nothing but the public internet unless told", async () => {
    const defaults = { allowHttp: false, allowPrivateTargets: false, disableAfterSeconds: 86_400, perAccount: 20 };
    expect(await webhooks("port: 1")).toEqual(defaults);
    expect(await webhooks("webhooks: {}")).toEqual(defaults);
  });

  it("may be told", async () => {
    const yaml =
      "webhooks: { allow_http: true, allow_private_targets: true, disable_after_days: 0.5, per_account: 3, " +
      'denied_networks: [default, "203.0.113.7", "2001:db8::1", "198.51.100.0/24"] }';
    expect(await webhooks(yaml)).toEqual({
      allowHttp: true,
      allowPrivateTargets: true,
      deniedNetworks: ["default", "203.0.113.7/32", "2001:db8::1/128", "198.51.100.0/24"],
      disableAfterSeconds: 43_200,
      perAccount: 3,
    });
  });

  it.each([
    ["allow_private_targets: 1", "webhooks.allow_private_targets in lessor.yaml must be true or false"],
    ["disable_after_days: 0", "webhooks.disable_after_days in lessor.yaml must be a number from 0.01 to 365"],
    ['denied_networks: ["10.1"]', "webhooks.denied_networks[0] in lessor.yaml must be an IP address"],
    [
      'denied_networks: "10.0.0.0/8"',
      "webhooks.denied_networks in lessor.yaml must be a list of IP addresses and networks",
    ],
    ["per_account: -1", "webhooks.per_account in lessor.yaml must be an integer from 0 to 10000"],
    ["allow_private: true", "allow_private_targets"],
  ])("are refused with %s", async (line, says) => {
    await expect(webhooks(`webhooks: { ${line} }`)).rejects.toThrow(says);
  });
});
