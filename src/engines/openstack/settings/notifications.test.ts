import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { refusalOf } from "../../../../test/support/setting-rules.ts";
import { temporaryDirectory } from "../../../../test/support/temporary-directory.ts";
import { settingIn } from "../../../settings/setting-path.ts";
import { resolveNotifications } from "./notifications.ts";

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
  writeFileSync(join(directory, "password"), "hunter2 of rabbit\n");
});

const least = { urls: ["amqps://rabbit.example.com"], user: "lessor", password_file: "password" };
const resolve = (change: object = {}) =>
  resolveNotifications({ ...least, ...change }, (...path) => settingIn(path, "lessor.yaml"), directory);

describe("notifications", () => {
  it("need addresses, a user and the file of a password; the rest is as Nova has it", () => {
    expect(resolve()).toEqual({
      brokers: [
        {
          protocol: "amqps",
          hostname: "rabbit.example.com",
          port: 5671,
          vhost: "",
          shown: "amqps://rabbit.example.com",
        },
      ],
      user: "lessor",
      password: "hunter2 of rabbit",
      ca: undefined,
      exchange: "nova",
      topics: ["versioned_notifications"],
    });
  });

  it("may have a CA, several addresses, and a virtual host", () => {
    writeFileSync(join(directory, "ca.pem"), "");
    const urls = ["amqp://10.0.0.1/", "amqp://[fd00::1]:5673/nova%2Fcell1"];
    expect(resolve({ urls, ca: "ca.pem", exchange: "n", topics: ["notifications"] })).toMatchObject({
      brokers: [
        { protocol: "amqp", hostname: "10.0.0.1", port: 5672, vhost: "", shown: "amqp://10.0.0.1" },
        { hostname: "fd00::1", port: 5673, vhost: "nova%2Fcell1", shown: "amqp://[fd00::1]:5673" },
      ],
      ca: join(directory, "ca.pem"),
      exchange: "n",
      topics: ["notifications"],
    });
  });

  it.each<[string, object, string]>([
    ["a port that is none", { urls: ["amqp://hunter2:99999"] }, "urls[0] in lessor.yaml must be an address such as"],
    [
      "a password file that is missing",
      { password_file: "hunter2" },
      "password_file in lessor.yaml must name a readable",
    ],
    ["a CA that is missing", { ca: "hunter2" }, "ca in lessor.yaml must name a readable file (ENOENT)"],
  ])("are refused by the name of the setting, and no value is repeated: %s", (_, change, message) => {
    const said = refusalOf(() => resolve(change));
    expect(said).toContain(message);
    expect(said).not.toContain("hunter2");
  });

  it.each([
    ["empty", ""],
    ["two lines", "hunter2\nhunter3\n"],
  ])("are refused where the file of the password has %s", (_, text) => {
    writeFileSync(join(directory, "password"), text);
    expect(refusalOf(resolve)).toBe("password_file in lessor.yaml must name a file with the password in one line.");
  });
});
