// The command line against a service that means harm, or that somebody else's names go through: what it prints, what it
// runs, and where the token goes.

import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runLessor } from "../../test/cli/run-lessor.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";

/** Sets the title of a terminal, turns what follows around, and begins a line. */
const orders = "x\u001b]0;title\u0007\u009b31m\u202e\nMachine terminated.";
const refused = { error: { code: "global/conflict", message: `No ${orders}`, suggestion: `Ask ${orders}` } };

interface Answer {
  readonly status?: number;
  readonly body: unknown;
}

/** A service that says this to everything; gives its port. */
async function serviceThat(answer: (path: string) => Answer | Promise<Answer>): Promise<number> {
  const server = createServer(async (request, response) => {
    const { status = 200, body } = await answer(request.url ?? "");
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const against = (port: number) => ({ LESSOR_URL: `http://127.0.0.1:${port}`, LESSOR_TOKEN: "lessor_token" });

describe("what a service says", () => {
  it("gives no orders to the terminal as a refusal, and begins no line of its own", async () => {
    const env = against(await serviceThat(() => ({ status: 409, body: refused })));
    const { err } = await runLessor(["keys", "list"], { env });
    expect(err.split("\n")).toEqual([
      "No x?]0;title??31m? Machine terminated.",
      "Ask x?]0;title??31m? Machine terminated.",
      "",
    ]);
  });

  it("is whole as JSON, and gives no orders there either", async () => {
    const env = against(await serviceThat(() => ({ body: { data: [{ name: orders }] } })));
    const { out } = await runLessor(["list", "--json"], { env });
    expect(JSON.parse(out)).toEqual([{ name: orders }]);
    expect(out).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
  });

  it("of an account gives no orders at the sign-in", async () => {
    const port = await serviceThat(() => ({ body: { data: { name: orders, token: { scopes: ["read"] } } } }));
    const env = { HOME: await temporaryDirectory() };
    const { out } = await runLessor(["login", `http://127.0.0.1:${port}`, "--with-token"], { env, input: "lessor_x" });
    expect(out).toMatch(/as x\?\]0;title\?\?31m\? Machine terminated\.; scopes: read\.\n$/);
  });
});

describe("lessor ssh", () => {
  const machine = {
    id: "0a1b2c3d",
    name: "training",
    status: "active",
    ip: "10.0.0.1",
    login_user: "ubuntu",
    login: "ssh_key",
    simulated: false,
  };

  /** What was run as ssh for a machine like this; undefined: nothing. */
  async function runOf(more: Partial<typeof machine>, ...args: string[]) {
    const env = against(await serviceThat(() => ({ body: { data: [{ ...machine, ...more }] } })));
    const folder = await temporaryDirectory();
    const program = join(folder, "ssh");
    writeFileSync(program, `#!/bin/sh\necho "$@" > '${join(folder, "ran")}'\n`);
    chmodSync(program, 0o755);
    const PATH = `${folder}${delimiter}${process.env.PATH}`;
    const ran = await runLessor(["ssh", ...args, "training"], { env: { ...env, PATH } });
    const isRun = existsSync(join(folder, "ran"));
    return { ...ran, isRun, ssh: isRun ? readFileSync(join(folder, "ran"), "utf8") : undefined };
  }

  it("runs ssh for a user at an address", async () => {
    expect(await runOf({})).toMatchObject({ code: 0, isRun: true });
  });

  it("gives up connecting after a while, which can be chosen", async () => {
    expect((await runOf({})).ssh).toContain("-o ConnectTimeout=15 ubuntu@10.0.0.1");
    expect((await runOf({}, "--connect-timeout", "3")).ssh).toContain("-o ConnectTimeout=3 ubuntu@10.0.0.1");
    expect(await runOf({}, "--connect-timeout", "soon")).toMatchObject({ code: 2, isRun: false });
  });

  it.each([
    [{ simulated: true }, "It is simulated, so its address does not respond."],
    [{ simulated: true, status: "booting" }, "It is simulated, so its address does not respond."],
    [{ login: "none" }, "It has no SSH key and no password."],
  ])("says at once where nobody can log in: %j", async (more, why) => {
    for (const args of [[], ["--print"]]) {
      const { code, out, err, isRun } = await runOf(more, ...args);
      expect({ code, out, isRun }).toEqual({ code: 5, out: "", isRun: false });
      expect(err).toContain(`You can't log in to training. ${why}`);
    }
  });

  it("says where its own options belong, which ssh does not know", async () => {
    const { code, err, isRun } = await runOf({}, "training", "--print");
    expect({ code, isRun }).toEqual({ code: 2, isRun: false });
    expect(err).toContain("ssh has no option --print.");
    expect(err).toContain("lessor ssh --print training");
  });

  it("says where the password is", async () => {
    expect((await runOf({ login: "password" })).err).toContain("For its password: lessor show training");
  });

  it.each([
    { login_user: "-oProxyCommand=touch pwned;" },
    { login_user: "$(touch pwned)" },
    { ip: "-oProxyCommand=x" },
    { id: "x\nProxyCommand=touch pwned" },
  ])("runs nothing where a service says to log in with %j", async (more) => {
    const { code, err, isRun } = await runOf(more);
    expect({ code, isRun }).toEqual({ code: 1, isRun: false });
    expect(err).toContain("which is no user and address");
  });

  it("takes no option for a user", async () => {
    expect(await runOf({}, "--user=-oProxyCommand=x")).toMatchObject({ code: 2, isRun: false });
  });
});

describe("a token", () => {
  it("that cannot be one is in no message", async () => {
    for (const token of ["lessor_one\nlessor_two", "lessor_\u201cone\u201d", "lessor_one\u0001"]) {
      for (const command of [["list"], ["events", "--follow"]]) {
        const ran = await runLessor(command, { env: { LESSOR_TOKEN: token, LESSOR_URL: "http://127.0.0.1:1" } });
        expect(ran).toMatchObject({ code: 2, err: expect.stringContaining("LESSOR_TOKEN is not a token") });
        expect(ran.err).not.toMatch(/one|two/);
      }
    }
  });

  it("that is kept by http on a network is warned of, and not on this computer", async () => {
    const port = await serviceThat(() => ({ body: { data: { name: "me", token: { scopes: ["read"] } } } }));
    const login = async (address: string) => {
      const env = { HOME: await temporaryDirectory() };
      return (await runLessor(["login", address, "--with-token"], { env, input: "lessor_x" })).err;
    };
    // Every address of this computer, and not one of those that never leave it by their name.
    expect(await login(`http://0.0.0.0:${port}`)).toContain("Anyone on the network can read a token");
    expect(await login(`http://127.0.0.1:${port}`)).not.toContain("Anyone on the network");
  });

  it("that is kept while another one is being tried stays", async () => {
    const HOME = await temporaryDirectory();
    const login = (profile: string, port: number) =>
      runLessor(["--profile", profile, "login", `http://127.0.0.1:${port}`, "--with-token"], {
        env: { HOME },
        input: "lessor_x",
      });
    const account = { body: { data: { name: "me", token: { scopes: ["read"] } } } };
    const quick = await serviceThat(() => account);
    const slow = await serviceThat(async () => {
      await login("quick", quick);
      return account;
    });
    expect(await login("slow", slow)).toMatchObject({ code: 0 });
    expect(await runLessor(["--profile", "quick", "logout"], { env: { HOME } })).toMatchObject({ code: 0 });
    expect(await runLessor(["--profile", "slow", "logout"], { env: { HOME } })).toMatchObject({ code: 0 });
  });
});
