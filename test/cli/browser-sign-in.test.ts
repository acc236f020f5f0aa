// `lessor login --browser` and `lessor switch`: a person confirms in the console, and the token is in the keyring, or in a file.

import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import type { Browser } from "../support/console.ts";
import { startDemoService } from "../support/demo-service.ts";
import type { RunningServer } from "../support/server.ts";
import { shownLinks, signedIn } from "../support/sign-in.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { afterFile } from "../support/when-over.ts";
import { runLessor } from "./run-lessor.ts";

const whenOver = afterFile();
const links = shownLinks();
let server: RunningServer;
let signingIn: Promise<Browser> | undefined;
const teams = new Map<string, string>();

beforeAll(async () => {
  server = await startDemoService(whenOver, { demoLinks: links.demoLinks });
  let token: string | undefined;
  for (const team of ["browser-one", "browser-two"]) {
    await server.customerToken(team);
    const { id } = await server.db
      .selectFrom("accounts")
      .select("id")
      .where("name", "=", team)
      .executeTakeFirstOrThrow();
    teams.set(team, id);
    const invited = await post(`/accounts/${id}/invitations`, server.operatorToken, {
      email: "ada@example.com",
      role: "owner",
    });
    const name = token === undefined ? { name: "Ada" } : {};
    token = (await post("/invitations/accept", token, { secret: invited.secret, ...name })).token.token;
  }
});

async function post(path: string, token: string | undefined, body: object) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(`${server.control}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { data: { secret: string; token: { token: string } } }).data;
}

/** Ada's browser, which is signed in. */
function browserOfAda(): Promise<Browser> {
  signingIn ??= signedIn({ main: server.url }, links, "ada@example.com");
  return signingIn;
}

/** Confirms the next code that a command line waits with. */
async function confirmNext(team: string): Promise<void> {
  let code: string | undefined;
  await expect
    .poll(async () => {
      code = (await server.db.selectFrom("device_sign_ins").select("user_code").executeTakeFirst())?.user_code;
      return code;
    })
    .toBeDefined();
  const body = { code, team: teams.get(team) };
  const browser = await browserOfAda();
  expect((await browser.ask("POST", "/console/device/confirm", { body })).status).toBe(200);
}

const confirmed = async (args: readonly string[], team: string, env: Record<string, string>) => {
  const [ran] = await Promise.all([runLessor(args, { env }), confirmNext(team)]);
  expect(ran.code, ran.err).toBe(0);
  return ran;
};

it("signs in, and switches the team with a token for each", async () => {
  const home = await temporaryDirectory();
  const env = { XDG_CONFIG_HOME: home, PATH: "/nonexistent" };
  const login = await confirmed(["login", server.url, "--browser"], "browser-one", env);
  expect(login.err).toMatch(/Open http:\S+\/device in a browser, enter the code [A-Z]{4}-[A-Z]{4}\./);
  const config = join(home, "lessor", "config.json");
  expect(statSync(config).mode & 0o777).toBe(0o600);
  const who = await runLessor(["whoami"], { env });
  expect(who.out).toMatch(/^Account +browser-one/m);
  expect(who.out).toMatch(/^Role +owner$/m);
  expect(who.out).toMatch(/^Expires +20/m);
  await confirmed(["switch", "browser-two"], "browser-two", env);
  expect((await runLessor(["whoami"], { env })).out).toMatch(/^Account +browser-two/m);
  // The token for the first team is stored already.
  expect((await runLessor(["switch", "browser-one"], { env })).out).toContain("Switched to browser-one");
  expect((await runLessor(["whoami"], { env })).out).toMatch(/^Account +browser-one/m);
});

it("keeps the token in the keyring of the system, and only there", async () => {
  const home = await temporaryDirectory();
  const bin = join(home, "bin");
  mkdirSync(bin);
  const kept = join(home, "kept");
  // As secret-tool: store reads the secret from standard input.
  const tool = `#!/bin/sh\necho "$@" >> ${home}/calls\ncase $1 in store) cat > ${kept};; lookup) cat ${kept};; clear) rm ${kept};; esac\n`;
  writeFileSync(join(bin, "secret-tool"), tool);
  chmodSync(join(bin, "secret-tool"), 0o755);
  const env = { XDG_CONFIG_HOME: home, PATH: `${bin}:${process.env.PATH}` };
  await confirmed(["login", server.url, "--browser"], "browser-one", env);
  const token = readFileSync(kept, "utf8");
  expect(token).toMatch(/^lessor_/);
  for (const file of ["lessor/config.json", "calls"])
    expect(readFileSync(join(home, file), "utf8")).not.toContain(token);
  expect((await runLessor(["whoami"], { env })).out).toMatch(/^Account +browser-one/m);
  expect((await runLessor(["logout"], { env })).code).toBe(0);
  expect(readFileSync(join(home, "calls"), "utf8")).toMatch(/^clear /m);
});
