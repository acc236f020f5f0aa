// The same launch as a command.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { secondsIn } from "../../../src/cli/output/units.ts";
import { curlCommand, type LaunchBody, lessorCommand, shellWord } from "./order.ts";

const body = {
  instance_type: "gpu_1x_a6000",
  region: "eu-central-1",
  quantity: 2,
  name: "it's mine",
  ssh_key_names: ["laptop", "my key"],
  env_vars: { HF_TOKEN: "hf_secret" },
  command: 'echo "$HOME"\nexit 0',
};
const more = {
  file_system_names: ["models"],
  file_system_mounts: [{ mount_point: "/data", file_system_id: "id-2" }],
  user_data: '#cloud-config\nruncmd: ["it\'s $HOME"]',
  max_lifetime_seconds: 28_800,
  max_price_cents_per_hour: 250,
};

/** What a shell makes of the words of a command. */
const wordsOf = (command: string): string[] =>
  execFileSync("sh", ["-c", `set -- ${command}; printf '%s\\0' "$@"`], { encoding: "utf8" })
    .split("\0")
    .slice(0, -1);

describe("a word for a shell", () => {
  it.each(["plain", "a b", "it's", '$HOME `id` "x"', "two\nlines", "-d", "'", "ä*?"])("%j is read as it is", (text) => {
    expect(wordsOf(shellWord(text))).toEqual([text]);
  });
});

describe("the curl command", () => {
  it("sends the launch, without the values of variables, and takes the token from the environment", () => {
    const command = curlCommand("https://gpu.example.com/control/v1", body);
    const words = wordsOf(command.replace("$LESSOR_TOKEN", "TOKEN"));
    expect(words.slice(0, 4)).toEqual(["curl", "-X", "POST", "https://gpu.example.com/control/v1/instances"]);
    expect(words).toContain("Authorization: Bearer TOKEN");
    expect(JSON.parse(words.at(-1) ?? "")).toEqual({ ...body, env_vars: { HF_TOKEN: "…" } });
    expect(command).not.toContain("hf_secret");
  });

  it("has more options exactly, and user data that is too long for a shell not at all", () => {
    const sent = (given: LaunchBody): unknown => JSON.parse(wordsOf(curlCommand("http://x", given)).at(-1) ?? "");
    expect(sent({ ...body, ...more, env_vars: {} })).toEqual({ ...body, ...more, env_vars: {} });
    expect(sent({ ...body, user_data: "x".repeat(65_537) })).toMatchObject({ user_data: "…" });
  });
});

describe("the lessor command", () => {
  it.each([
    [60, "1h:stop"],
    [45, "45m:stop"],
  ])("has an idle rule of %i minutes as the option reads it", (minutes, word) => {
    expect(lessorCommand({ instance_type: "x", idle_rule: { action: "stop", minutes } })).toContain(`--idle ${word}`);
  });

  it("is one line where it is short", () => {
    expect(lessorCommand({ instance_type: "gpu_1x_a6000", region: "eu-central-1" })).toBe(
      "lessor launch gpu_1x_a6000 --region eu-central-1 --no-key",
    );
  });

  it("has no option that the command lacks", () => {
    const source = readFileSync(resolve(import.meta.dirname, "../../../src/cli/launch/order-options.ts"), "utf8");
    const labels = { tags: [{ key: "a", value: "b" }], firewall_ruleset_ids: ["x"] };
    const all = { ...body, ...more, ...labels, image: "x", coupon: "x", host_selector: "x" };
    const commands = [all, { instance_type: "x" }, { instance_type: "x", password_without_keys: true }].map((one) =>
      lessorCommand(one),
    );
    const used = new Set(commands.join(" ").match(/(?<= )--[a-z-]+/g));
    expect(used.size).toBe(17);
    expect([...used].filter((option) => !source.includes(`.option("${option}`))).toEqual([]);
  });

  it("has an option for everything, and no secret", () => {
    const command = lessorCommand(body);
    expect(wordsOf(command)).toEqual([
      ...["lessor", "launch", "gpu_1x_a6000", "--region", "eu-central-1", "--quantity", "2", "--name", "it's mine"],
      ...["--key", "laptop", "--key", "my key", "--env-file", ".env", "--startup", 'echo "$HOME"\nexit 0'],
    ]);
    expect(command).not.toContain("hf_secret");
  });

  it("has more options exactly: user data to the byte, file systems by name, and spans as it reads them", () => {
    const script = `lessor() { cat; printf '\\0'; printf '%s\\0' "$@"; }\n`;
    const command = lessorCommand({ instance_type: "gpu_1x_a6000", ...more }, new Map([["id-2", "data"]]));
    const [userData, ...words] = execFileSync("sh", ["-c", script + command], { encoding: "utf8" }).split("\0");
    expect(userData).toBe(more.user_data);
    expect(words.slice(0, -1)).toEqual([
      ...["launch", "gpu_1x_a6000", "--no-key", "--fs", "models", "--fs", "data:/data", "--user-data", "-"],
      ...["--max-price", "2.50", "--max-lifetime", "8h"],
    ]);
  });

  it.each([
    [5400, "90m"],
    [61, "61s"],
  ])("says %i seconds as %s, which it reads as the same", (seconds, word) => {
    expect(lessorCommand({ instance_type: "x", max_lifetime_seconds: seconds })).toContain(`--max-lifetime ${word}`);
    expect(secondsIn(word)).toBe(seconds);
  });

  it("has tags and firewall rulesets", () => {
    const tags = [
      { key: "team", value: "my vision" },
      { key: "spot", value: "" },
    ];
    expect(wordsOf(lessorCommand({ instance_type: "x", tags, firewall_ruleset_ids: ["set-1"] }))).toEqual([
      ...["lessor", "launch", "x", "--no-key", "--tag", "team=my vision", "--tag", "spot=", "--firewall", "set-1"],
    ]);
  });

  it("has the labels of hosts", () => {
    expect(lessorCommand({ instance_type: "x", host_selector: "rack=r12" })).toBe(
      "lessor launch x --host-selector rack=r12 --no-key",
    );
  });

  it("reads user data from a file where it is too long for a shell", () => {
    const command = lessorCommand({ instance_type: "x", user_data: "x".repeat(65_537) });
    expect(command).toBe("lessor launch x --no-key --user-data user-data.txt");
  });
});
