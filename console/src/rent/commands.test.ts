// The same launch as a command.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { curlCommand, lessorCommand, shellWord } from "./commands.ts";

const body = {
  instance_type: "gpu_1x_a6000",
  region: "eu-central-1",
  quantity: 2,
  name: "it's mine",
  ssh_key_names: ["laptop", "my key"],
  env_vars: { HF_TOKEN: "hf_secret" },
  command: 'echo "$HOME"\nexit 0',
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
});

describe("the lessor command", () => {
  it("is one line where it is short", () => {
    expect(lessorCommand({ instance_type: "gpu_1x_a6000", region: "eu-central-1" })).toBe(
      "lessor launch gpu_1x_a6000 --region eu-central-1 --no-key",
    );
  });

  it("has no option that the command lacks", () => {
    const source = readFileSync(resolve(import.meta.dirname, "../../../src/cli/commands/launch.ts"), "utf8");
    const all = { ...body, image: "x", coupon: "x", file_system_names: ["x"] };
    const used = [lessorCommand(all), lessorCommand({ instance_type: "x" })].join(" ").match(/(?<= )--[a-z-]+/g) ?? [];
    expect(used).toHaveLength(11);
    expect(used.filter((option) => !source.includes(`.option("${option}`))).toEqual([]);
  });

  it("has an option for everything, and no secret", () => {
    const command = lessorCommand(body);
    expect(wordsOf(command)).toEqual([
      ...["lessor", "launch", "gpu_1x_a6000", "--region", "eu-central-1", "--quantity", "2", "--name", "it's mine"],
      ...["--key", "laptop", "--key", "my key", "--env-file", ".env", "--startup", 'echo "$HOME"\nexit 0'],
    ]);
    expect(command).not.toContain("hf_secret");
  });
});
