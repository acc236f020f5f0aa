// Every command of a customer and an operator as programs use it: against the real service with its demo, without a terminal. Tables say what they should, `--json` has every field of json-fields.json (one that goes breaks
// programs), and nothing is asked. What a person sees: test/terminal.

import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { startDemoService } from "../support/demo-service.ts";
import type { RunningServer } from "../support/server.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { afterFile } from "../support/when-over.ts";
import { type Ran, runLessor, runProcess } from "./run-lessor.ts";

const whenOver = afterFile();
let server: RunningServer;
let home: string;
let address: string;
let customer: Record<string, string>;
let operator: Record<string, string>;

beforeAll(async () => {
  home = await temporaryDirectory(0o700, whenOver);
  server = await startDemoService(whenOver);
  address = server.url;
  customer = { HOME: home, LESSOR_URL: address, LESSOR_TOKEN: await server.customerToken("demo") };
  operator = { ...customer, LESSOR_TOKEN: server.operatorToken };
});

const asCustomer = (...args: string[]) => runLessor(args, { env: customer });
const asOperator = (...args: string[]) => runLessor(args, { env: operator });

/** What it printed, where it went well. */
async function printed(ran: Promise<Ran>): Promise<string> {
  const { code, out, err } = await ran;
  expect(code, `${out}\n${err}`).toBe(0);
  return out;
}

/** The names of the fields of an answer; of a list those of its first. Throws where a list has nothing to show. */
function fields(value: unknown): string[] {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof one !== "object" || one === null) throw new Error(`no fields in ${JSON.stringify(value)}`);
  return Object.keys(one).sort();
}

async function json(ran: Promise<Ran>): Promise<unknown> {
  return JSON.parse(await printed(ran));
}

describe("before anybody has signed in", () => {
  it("a command says so, with the exit code for it, and asks nothing", async () => {
    const ran = await runProcess(["list"], { env: { HOME: home, LESSOR_URL: address } });
    expect(ran).toMatchObject({ code: 4, out: "" });
    expect(ran.err).toBe("You are not signed in.\nSign in with lessor login, or set LESSOR_TOKEN.\n");
  });

  it("login takes no token as an argument, and none that is wrong", async () => {
    const env = { HOME: await temporaryDirectory() };
    expect(await runLessor(["login", address, "lessor_secret"], { env })).toMatchObject({ code: 2 });
    expect(await runLessor(["login", address], { env })).toMatchObject({ code: 2 });
    const wrong = await runProcess(["login", address, "--with-token"], { env, input: "lessor_wrong\n" });
    expect(wrong).toMatchObject({ code: 4, out: "" });
    expect(wrong.err).not.toContain("lessor_wrong");
    expect(existsSync(join(env.HOME, ".config"))).toBe(false);
  });
});

describe("login with a token from standard input", () => {
  it("keeps it to its owner, in several profiles, until logout", async () => {
    const env = { HOME: await temporaryDirectory() };
    const signIn = (args: string[], token: string) =>
      printed(runLessor([...args, "--with-token"], { env, input: `${token}\n` }));
    expect(await signIn(["login", address], customer.LESSOR_TOKEN ?? "")).toContain("as demo; scopes: read, write.");
    const path = join(env.HOME, ".config/lessor/config.json");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await signIn(["--profile", "boss", "login", address], operator.LESSOR_TOKEN ?? "");
    expect(await printed(runLessor(["account"], { env }))).toContain("operator");
    expect(await printed(runLessor(["--profile", "default", "account"], { env }))).toContain("demo");
    const elsewhere = await runLessor(["account"], { env: { ...env, LESSOR_URL: "http://127.0.0.1:1" } });
    expect(elsewhere).toMatchObject({ code: 4 });
    await printed(runLessor(["logout"], { env }));
    expect(readFileSync(path, "utf8")).not.toContain(operator.LESSOR_TOKEN);
    expect(await printed(runLessor(["account"], { env }))).toContain("demo");
    expect(await runLessor(["--profile", "bos", "account"], { env })).toMatchObject({ code: 2 });
  });
});

describe("a rental", () => {
  it("goes from the price to the end, in tables", async () => {
    expect(await printed(asCustomer("types"))).toMatch(/^gpu_1x_a6000 +\$0\.80\/h +- +80 +1 x A6000/m);
    expect(await printed(asCustomer("regions"))).toMatch(/^us-east-1 +Virginia, USA +\d+ types/m);
    expect(await printed(asCustomer("coupon", "check", "WELCOME10", "--type", "gpu_1x_a6000"))).toContain("$0.72/h");
    const key = join(home, "laptop");
    await printed(asCustomer("keys", "generate", "laptop", "--output", key));
    expect(statSync(key).mode & 0o777).toBe(0o600);
    writeFileSync(join(home, ".env"), "SECRET='it''s hidden'\n");
    const launched = await asCustomer(
      "launch",
      "gpu_1x_a6000",
      "--name",
      "training",
      "--coupon",
      "WELCOME10",
      "--env-file",
      join(home, ".env"),
    );
    expect(launched).toMatchObject({ code: 0 });
    expect(launched.err).toContain("$0.72/h ($525.60 a month), instead of $0.80/h");
    // Nobody can log in to it, so no command for that is offered.
    expect(launched.err).toContain("You can't log in to training. It is simulated");
    expect(launched.err).not.toContain("lessor ssh");
    expect(launched.out).toMatch(/^training +active +(203\.0\.113|198\.51\.100)\.\S+ +gpu_1x_a6000 +\S+ +\$0\.72\/h/m);
    expect(launched.out + launched.err).not.toContain("hidden");
    const shown = await printed(asCustomer("show", "training"));
    expect(shown).toMatch(/^SSH keys +laptop$/m);
    expect(shown).toMatch(/^Price +\$0\.72\/h, instead of \$0\.80\/h: 10 % off with WELCOME10$/m);
    expect(shown).toMatch(/^Log in +not possible\. It is simulated/m);
    const ssh = await asCustomer("ssh", "training");
    expect(ssh).toMatchObject({ code: 5, out: "" });
    expect(ssh.err).toContain("You can't log in to training. It is simulated");
    expect(await printed(asCustomer("logs", "training"))).toContain("simulated");
    expect(await printed(asCustomer("stop", "training"))).toMatch(/^training +stopped/m);
    expect(await printed(asCustomer("restart", "training"))).toMatch(/^training +active/m);
    expect(await asCustomer("terminate", "training")).toMatchObject({ code: 2 });
    expect(await printed(asCustomer("terminate", "training", "--yes", "--wait"))).toMatch(/^training +terminated/m);
    expect(await printed(asCustomer("list"))).not.toContain("training");
    expect(await printed(asCustomer("list", "--all"))).toContain("training");
    expect(await printed(asCustomer("usage"))).toMatch(/^training +gpu_1x_a6000/m);
    expect(await printed(asCustomer("usage", "--csv"))).toMatch(/^account_id,instance_id,/);
    // Events are read once all earlier transactions of the database server are over, also those of other tests.
    await expect
      .poll(() => printed(asCustomer("events", "--type", "instance.*")), { timeout: 20_000 })
      .toMatch(/instance\.active +.*name=training/);
  });

  it("that fits nowhere, or costs too much, or names what is not there, is refused with what would do", async () => {
    const tooMany = await asCustomer("launch", "gpu_1x_a100", "--region", "us-west-1", "--no-key");
    expect(tooMany).toMatchObject({ code: 5, out: "" });
    expect(tooMany.err).toContain("It fits with: --region us-east-1 (16 fit).");
    const fewer = await asCustomer("launch", "gpu_1x_a100", "--quantity", "40", "--no-key");
    expect(fewer).toMatchObject({ code: 5, out: "" });
    expect(fewer.err).toContain("Launch fewer at once. Regions and how many of 40 fit there: us-east-1 (16).");
    expect(await asCustomer("launch", "gpu_1x_a6000", "--max-price", "0.50", "--no-key")).toMatchObject({ code: 5 });
    const misspelt = await asCustomer("launch", "gpu_1x_a60000");
    expect(misspelt).toMatchObject({ code: 3 });
    expect(misspelt.err).toContain('Did you mean "gpu_1x_a6000"?');
    const nowhere = await asCustomer("launch", "gpu_1x_a6000", "--region", "mars", "--no-key");
    expect(nowhere).toMatchObject({ code: 3 });
    expect(nowhere.err).toContain("Run lessor regions.");
    for (const list of ["list", "types"]) {
      const filtered = await asCustomer(list, "--region", "mars");
      expect(filtered, list).toMatchObject({ code: 3, out: "" });
      expect(filtered.err, list).toMatch(/There is no region .*"mars"/);
      expect(filtered.err, list).toContain("Run lessor regions.");
    }
    expect((await asCustomer("types", "--region", "us-east-2")).err).toContain('Did you mean "us-east-1"?');
    const refused = await asCustomer("show", "nothing", "--json");
    expect(refused).toMatchObject({ code: 3, out: "" });
    expect(JSON.parse(refused.err)).toMatchObject({ error: { message: 'There is no instance "nothing".' } });
  });

  it("is named where its file system is listed", async () => {
    await printed(asCustomer("fs", "create", "shelf", "--region", "us-east-1"));
    const placed = ["--region", "us-east-1", "--fs", "shelf", "--no-key", "--no-wait"];
    await printed(asCustomer("launch", "cpu_8x_general", "--name", "reader", ...placed));
    expect(await printed(asCustomer("fs", "list"))).toMatch(/^shelf +us-east-1 .* reader +/m);
    await printed(asCustomer("terminate", "reader", "--yes", "--wait"));
    await printed(asCustomer("fs", "delete", "shelf", "--yes"));
  });

  it("refuses bad variables before anything is sent, and never shows their values", async () => {
    writeFileSync(join(home, "bad.env"), "PATH=hunter2\n1X=hunter2\n");
    const ran = await asCustomer("launch", "gpu_1x_a6000", "--env-file", join(home, "bad.env"));
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(ran.err).toContain('"PATH" is reserved');
    expect(ran.err).not.toContain("hunter2");
    expect(await asCustomer("env", "check", join(home, "bad.env"))).toMatchObject({ code: 1 });
  });

  it("of two machines whose names begin alike needs more of the name", async () => {
    for (const name of ["twin-a", "twin-b"]) {
      await printed(asCustomer("launch", "cpu_8x_general", "--name", name, "--no-key", "--no-wait"));
    }
    const ran = await asCustomer("show", "twin");
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(ran.err).toMatch(/"twin" matches 2 instances\.[\s\S]*twin-a[\s\S]*twin-b/);
    await printed(asCustomer("terminate", "twin-a", "twin-b", "--yes"));
  });
});

describe("a password login", () => {
  it("shows its password in show, to a token with write, and no ssh line for a simulated instance", async () => {
    await printed(asCustomer("launch", "cpu_8x_general", "--name", "opened", "--password", "--no-wait"));
    const shown = await printed(asCustomer("show", "opened"));
    expect(shown).toMatch(/^Password +\d{15}$/m);
    expect(shown).toMatch(/^Log in +not possible\. It is simulated/m);
    expect(await json(asCustomer("show", "opened", "--json"))).toMatchObject({
      login: "password",
      password: expect.stringMatching(/^\d{15}$/),
    });
    const reader = (await printed(asCustomer("tokens", "create", "reader", "--scope", "read"))).trim();
    const seen = await printed(runLessor(["show", "opened"], { env: { ...customer, LESSOR_TOKEN: reader } }));
    expect(seen).toMatch(/^Password +shown to tokens of its account with the scope write$/m);
    expect(seen).not.toMatch(/\d{15}/);
    await printed(asCustomer("terminate", "opened", "--yes"));
  });
});

describe("several instances", () => {
  it("are numbered, a name in use is pointed out, and all of them end at once", async () => {
    const launch = ["launch", "cpu_8x_general", "--no-key", "--no-wait", "--quantity", "2", "--name", "l"];
    const first = await asCustomer(...launch);
    expect(first).toMatchObject({ code: 0 });
    expect(first.err).not.toContain("You already have");
    expect(first.out).toMatch(/^l-1 .*\n(.*\n)*l-2 /m);
    const dry = await asCustomer(...launch, "--dry-run");
    expect(dry.err).toBe("You already have instances named l-1, l-2.\n");
    const ended = await printed(asCustomer("terminate", "l-1", "l-2", "--yes", "--wait"));
    expect(ended.match(/terminated/g)).toHaveLength(2);
  });

  it("are all acted on, also where one is rejected, which is said", async () => {
    for (const name of ["one", "other"]) {
      await printed(asCustomer("launch", "cpu_8x_general", "--name", name, "--no-key"));
    }
    await printed(asCustomer("stop", "one"));
    const ran = await asCustomer("restart", "other", "one");
    expect(ran).toMatchObject({ code: 5 });
    expect(ran.out).toMatch(/^one +active/m);
    expect(ran.err).toMatch(/1 of 2 instances were rejected\.\nother: /);
    expect(await printed(asCustomer("reboot", "one", "other"))).toMatch(/^one +active.*\nother +active/m);
    await printed(asCustomer("terminate", "one", "other", "--yes"));
  });
});

describe("an instance", () => {
  it("is renamed, tagged, found by its tags, and launched again", async () => {
    const order = ["--no-key", "--no-wait", "--tag", "team=vision", "--startup", "true", "--max-lifetime", "8h"];
    await printed(asCustomer("launch", "cpu_8x_general", "--name", "before", "--region", "us-west-1", ...order));
    expect(await printed(asCustomer("rename", "before", "after"))).toBe("Renamed before to after.\n");
    expect(await printed(asCustomer("tag", "after", "budget=q3", "spot"))).toMatch(
      /^team +vision\nbudget +q3\nspot +-$/m,
    );
    expect(await printed(asCustomer("tag", "after", "--remove", "budget"))).not.toContain("budget");
    expect(await asCustomer("tag", "after", "--remove", "budget")).toMatchObject({ code: 2 });
    expect(await printed(asCustomer("list", "--tag", "team=vision", "--tag", "spot"))).toMatch(/^after /m);
    expect(await printed(asCustomer("list", "--tag", "team=text"))).toBe("No instances match these filters.\n");
    const again = await asCustomer("launch", "--like", "after", "--name", "again", "--no-wait", "--json");
    expect(again).toMatchObject({ code: 0 });
    const [{ id }] = JSON.parse(again.out);
    expect(await json(asCustomer("show", id, "--json"))).toMatchObject({
      instance_type: { name: "cpu_8x_general" },
      region: { name: "us-west-1" },
      tags: [
        { key: "team", value: "vision" },
        { key: "spot", value: "" },
      ],
      max_lifetime_seconds: 28_800,
      command: "true",
    });
    expect(await asCustomer("launch")).toMatchObject({ code: 2 });
    await printed(asCustomer("terminate", "after", "again", "--yes"));
  });

  it("is followed on its console until it has ended", async () => {
    await printed(asCustomer("launch", "cpu_8x_general", "--name", "written", "--no-key"));
    const following = asCustomer("logs", "written", "--follow");
    await printed(asCustomer("reboot", "written"));
    await printed(asCustomer("terminate", "written", "--yes"));
    const { code, out, err } = await following;
    expect(code).toBe(0);
    expect(out).toMatch(/^This is a simulated machine/);
    expect(err).toContain("written has ended.");
  });
});

describe("the firewall", () => {
  it("has rules that are added and removed, of the account and of rulesets", async () => {
    expect(await printed(asCustomer("firewall", "list"))).toMatch(/^all +all +0\.0\.0\.0\/0 +Default: everything$/m);
    const added = await asCustomer("firewall", "add", "tcp", "22", "--source", "203.0.113.7", "--description", "SSH");
    expect(added.out).toMatch(/^tcp +22 +203\.0\.113\.7\/32 +SSH$/m);
    expect(added.err).toContain("allows all traffic");
    expect(await printed(asCustomer("firewall", "rm", "tcp", "22", "--source", "203.0.113.7"))).not.toContain("tcp");
    const missing = await asCustomer("firewall", "remove", "udp", "53");
    expect(missing).toMatchObject({ code: 3 });
    expect(missing.err).toContain("The rules are: all all from 0.0.0.0/0.");
    expect(await asCustomer("firewall", "add", "sctp")).toMatchObject({ code: 2 });

    await printed(asCustomer("firewall", "rulesets", "create", "web", "--region", "us-east-1"));
    await printed(asCustomer("firewall", "add", "tcp", "8000-8010", "--ruleset", "web"));
    await printed(asCustomer("firewall", "add", "icmp", "--ruleset", "web"));
    expect(await printed(asCustomer("firewall", "rulesets", "ls"))).toMatch(
      /^web +us-east-1 +tcp 8000-8010 from 0\.0\.0\.0\/0; icmp from 0\.0\.0\.0\/0 +0/m,
    );
    await printed(asCustomer("firewall", "rulesets", "delete", "web", "--yes"));
    expect(await printed(asCustomer("firewall", "rulesets", "list"))).toBe("No rulesets.\n");
  });
});

describe("lists", () => {
  it("show the newest instances first, also as ls and as JSON", async () => {
    for (const name of ["older", "newer"]) {
      await printed(asCustomer("launch", "cpu_8x_general", "--name", name, "--no-key", "--no-wait"));
    }
    const listed = await printed(asCustomer("ls"));
    expect(
      listed
        .split("\n")
        .slice(1, 3)
        .map((line) => line.split(" ")[0]),
    ).toEqual(["newer", "older"]);
    const shown = await json(asCustomer("ls", "--json"));
    expect(shown).toMatchObject([{ name: "newer" }, { name: "older" }]);
    await printed(asCustomer("terminate", "older", "newer", "--yes"));
  });

  it("of types are filtered by GPU, memory and price, and sorted", async () => {
    const names = async (...args: string[]) =>
      ((await json(asCustomer("types", "--json", ...args))) as { instance_type: { name: string } }[]).map(
        (one) => one.instance_type.name,
      );
    expect(await names("--gpu", "h100", "--max-price", "6.38", "--sort", "price")).toEqual([
      "gpu_1x_h100_pcie",
      "gpu_1x_h100_sxm5",
      "gpu_2x_h100_sxm5",
    ]);
    expect(await names("--gpu-memory", "40", "--max-price", "1.30", "--sort", "gpu-memory", "--descending")).toEqual([
      "gpu_1x_a6000",
      "gpu_1x_l40s",
      "gpu_1x_a100",
    ]);
    expect(await printed(asCustomer("types", "--gpu", "b200"))).toBe("No instance types match these filters.\n");
    expect(await asCustomer("types", "--sort", "color")).toMatchObject({ code: 2 });
  });

  it("of images say which is the default", async () => {
    expect(await printed(asCustomer("images"))).toMatch(
      /^ubuntu-22\.04-cuda +yes +Ubuntu 22\.04 with CUDA 12 +ubuntu/m,
    );
  });
});

describe("--json", () => {
  it("lacks no field that it ever had", async () => {
    const dry = ["launch", "gpu_1x_a6000", "--dry-run", "--json"];
    const seen: Record<string, readonly string[]> = {};
    const see = async (ran: Promise<Ran>, name: string) => {
      seen[name] = fields(await json(ran));
    };
    await see(asCustomer("types", "--json"), "types");
    await see(asCustomer("regions", "--json"), "regions");
    await see(asCustomer("images", "--json"), "images");
    await see(asCustomer(...dry), "launch --dry-run");
    await see(asCustomer("launch", "cpu_8x_general", "--name", "field", "--no-key", "--json"), "launch");
    await see(asCustomer("list", "--json"), "list");
    await see(asCustomer("show", "field", "--json"), "show");
    await see(asCustomer("logs", "field", "--json"), "logs");
    await server.reconciler.idle();
    await see(asCustomer("top", "field", "--json"), "top");
    await see(asCustomer("stop", "field", "--json"), "stop");
    await see(asCustomer("terminate", "field", "--yes", "--json"), "terminate");
    await see(asCustomer("keys", "generate", "json", "--json"), "keys generate");
    await see(asCustomer("keys", "list", "--json"), "keys list");
    await see(asCustomer("fs", "create", "models", "--region", "us-east-1", "--json"), "fs create");
    await see(asCustomer("fs", "list", "--json"), "fs list");
    await see(asCustomer("coupon", "check", "WELCOME10", "--type", "gpu_1x_a10", "--json"), "coupon check");
    await see(asCustomer("usage", "--json"), "usage");
    await see(asCustomer("usage", "--days", "--json"), "usage --days");
    await see(asCustomer("usage", "--months", "--json"), "usage --months");
    await see(asCustomer("usage", "--products", "--json"), "usage --products");
    await see(asCustomer("events", "--json"), "events");
    await see(asCustomer("tokens", "create", "ci", "--scope", "read", "--json"), "tokens create");
    await see(asCustomer("tokens", "list", "--json"), "tokens list");
    await see(asCustomer("tokens", "limit", "ci", "5", "--json"), "tokens limit");
    await see(asCustomer("webhooks", "create", "https://example.com/h", "--json"), "webhooks create");
    await see(asCustomer("webhooks", "test", "https://example.com/h", "--json"), "webhooks test");
    await see(asCustomer("webhooks", "deliveries", "https://example.com/h", "--json"), "webhooks deliveries");
    await see(asCustomer("webhooks", "list", "--json"), "webhooks list");
    await see(asCustomer("account", "--json"), "account");
    await see(asOperator("hosts", "list", "--json"), "hosts list");
    await see(asOperator("hosts", "show", "us-east-1-a10-01", "--json"), "hosts show");
    await see(asOperator("hosts", "cordon", "us-east-1-a10-01", "--json"), "hosts cordon");
    const window = ["--from", "24h", "--for", "1h", "--mode", "nothing", "--reason", "Disk", "--json"];
    await see(asOperator("maintenance", "schedule", "us-east-1-a10-01", ...window), "maintenance schedule");
    await see(asOperator("maintenance", "list", "--json"), "maintenance list");
    await see(asOperator("engines", "--json"), "engines");
    await see(asOperator("accounts", "create", "acme", "--gpus", "3", "--json"), "accounts create");
    await see(asOperator("accounts", "change", "acme", "--limit", "20", "--json"), "accounts change");
    await see(asOperator("accounts", "tokens", "create", "acme", "first", "--json"), "accounts tokens create");
    await see(asOperator("accounts", "top-up", "acme", "5", "--reference", "R", "--json"), "accounts top-up");
    await see(asOperator("keys", "encryption", "--json"), "keys encryption");
    const kept: Record<string, readonly string[]> = JSON.parse(
      readFileSync(new URL("json-fields.json", import.meta.url), "utf8"),
    );
    expect(Object.keys(seen).sort()).toEqual(Object.keys(kept).sort());
    for (const [command, names] of Object.entries(kept))
      expect(seen[command], command).toEqual(expect.arrayContaining([...names]));
  });
});

describe("an operator", () => {
  it("sees hosts, engines and accounts, and a customer is refused", async () => {
    expect(await printed(asOperator("engines"))).toMatch(/^simulated +simulated +healthy +40\/40/m);
    expect(await printed(asOperator("hosts", "list", "--region", "us-west-1"))).toMatch(
      /^us-west-1-l40s-01 +up +us-west-1 +8\/8 l40s/m,
    );
    expect(await printed(asOperator("hosts", "cordon", "us-west-1-l40s-01"))).toContain("uncordon");
    expect(await printed(asOperator("hosts", "show", "us-west-1-l40s-01"))).toMatch(/^State +cordoned$/m);
    await printed(asOperator("hosts", "uncordon", "us-west-1-l40s-01"));
    expect(await printed(asOperator("accounts", "show", "demo"))).toMatch(/^Status +active$/m);
    for (const command of ["list", "usage", "events"])
      expect(await asOperator(command, "--account", "demo"), command).toMatchObject({ code: 0 });
    expect(await asOperator("list", "--account", "nobody")).toMatchObject({ code: 3, out: "" });
    expect(await printed(asOperator("keys", "encryption"))).toContain("current");
    const refused = await asCustomer("hosts", "list");
    expect(refused).toMatchObject({ code: 4, out: "" });
    expect(refused.err).toMatch(/^Request [0-9a-f-]{36}$/m);
  });
});

describe("an operator's action", () => {
  it("ends, stops or reboots any account's instance by one command, with a reason that the account reads", async () => {
    await printed(asCustomer("launch", "cpu_8x_general", "--name", "abused", "--no-key"));
    const silent = await asOperator("stop", "abused");
    expect(silent).toMatchObject({ code: 1, out: "" });
    expect(silent.err).toContain("Add --reason");
    expect(await printed(asOperator("list"))).toMatch(/^abused +demo +active/m);
    expect(await printed(asOperator("reboot", "abused", "--reason", "New kernel"))).toMatch(/^abused +active/m);
    expect(await printed(asOperator("stop", "abused", "--reason", "Looked into"))).toMatch(/^abused +stopped/m);
    const ended = await printed(asOperator("terminate", "abused", "--yes", "--wait", "--reason", "Abuse report 4711"));
    expect(ended).toMatch(/^abused +terminated/m);
    expect(await json(asCustomer("show", "abused", "--json"))).toMatchObject({ ended_by: "operator" });
    expect(await printed(asCustomer("events", "--instance", "abused"))).toContain("Abuse report 4711");
  });
});

describe("exit codes", () => {
  it("tell what went wrong: usage, not there, not allowed, taken, unreachable", async () => {
    expect(await asCustomer("lanch")).toMatchObject({ code: 2, err: expect.stringContaining("Did you mean launch?") });
    expect(await asCustomer("launch")).toMatchObject({ code: 2 });
    expect(await asCustomer("usage", "--days", "--months")).toMatchObject({ code: 2 });
    expect(await asCustomer("help", "lanch")).toMatchObject({ code: 2 });
    expect(await asCustomer("apply", "-f", join(home, "nothing.yaml"))).toMatchObject({ code: 3 });
    expect(await asCustomer("tokens", "revoke", "nobody", "--yes")).toMatchObject({ code: 3 });
    await asOperator("accounts", "create", "twice");
    expect(await asOperator("accounts", "create", "twice")).toMatchObject({ code: 5 });
    const nobody = { ...customer, LESSOR_URL: "http://127.0.0.1:1" };
    expect(await runLessor(["list"], { env: nobody })).toMatchObject({ code: 6, out: "" });
    expect((await asCustomer("help", "exit-codes")).out).toMatch(/ {4}6 {2}The service is unreachable/);
  });
});
