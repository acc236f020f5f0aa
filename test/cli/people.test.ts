// `lessor members` and `lessor invitations`: a team from its first owner to one who leaves, from a script.

import { beforeAll, expect, it } from "vitest";
import { startDemoService } from "../support/demo-service.ts";
import type { RunningServer } from "../support/server.ts";
import { afterFile } from "../support/when-over.ts";
import { type Ran, runLessor } from "./run-lessor.ts";

const whenOver = afterFile();
let server: RunningServer;
beforeAll(async () => {
  server = await startDemoService(whenOver);
  await server.customerToken("acme");
});

const run = (token: string | undefined, args: readonly string[], input = "") =>
  runLessor(args, { env: { LESSOR_URL: server.url, ...(token !== undefined && { LESSOR_TOKEN: token }) }, input });
function printed({ code, out, err }: Ran): string {
  expect(code, err).toBe(0);
  return out;
}
const accept = async (secret: string, ...args: string[]) =>
  printed(await run(undefined, ["invitations", "accept", ...args, "--with-secret"], secret)).trim();

it("is built, changed and left", async () => {
  const operator = server.operatorToken;
  const invited = await run(operator, ["accounts", "invite", "acme", "ada@example.com", "--role", "owner"]);
  expect(invited.err).toContain("Invited ada@example.com as owner");
  const ada = await accept(printed(invited), "--name", "Ada");
  const who = printed(await run(ada, ["whoami"]));
  expect(who).toMatch(/^Account +acme/m);
  expect(who).toMatch(/^Person +Ada <ada@example.com>$/m);
  expect(who).toMatch(/^Role +owner$/m);

  const secret = printed(await run(ada, ["invitations", "create", "eve@example.com", "--role", "viewer"]));
  expect(printed(await run(ada, ["invitations", "list"]))).toMatch(/^eve@example.com +viewer/m);
  const eve = await accept(secret, "--name", "Eve");
  expect(printed(await run(ada, ["invitations", "list"]))).toContain("No open invitations.");
  expect(printed(await run(operator, ["accounts", "members", "acme"]))).toMatch(/^Eve +eve@example.com +viewer/m);
  expect(await run(eve, ["fs", "create", "data", "--region", "us-east-1", "--size", "1"])).toMatchObject({ code: 4 });

  const changed = await run(ada, ["members", "change", "eve@example.com", "--role", "admin"]);
  expect(printed(changed)).toContain("Changed the role of Eve to admin.");
  printed(await run(eve, ["invitations", "create", "bob@example.com", "--role", "member"]));
  expect(printed(await run(eve, ["invitations", "revoke", "bob@example.com", "--yes"]))).toContain("Revoked");
  expect(await run(eve, ["members", "remove", "Ada", "--yes"])).toMatchObject({ code: 4 });
  expect(await run(ada, ["members", "leave", "--yes"])).toMatchObject({
    code: 5,
    err: expect.stringContaining("owner"),
  });
  expect(printed(await run(eve, ["members", "leave", "--yes"]))).toContain("Left the team acme.");
  expect(await run(eve, ["members", "list"])).toMatchObject({ code: 4 });
});

it("joins a second team as the same person", async () => {
  const operator = server.operatorToken;
  const invite = (account: string) =>
    run(operator, ["accounts", "invite", account, `kim@${account}.example.com`, "--role", "owner"]);
  await server.customerToken("second");
  const kim = await accept(printed(await invite("acme")), "--name", "Kim");
  const secret = printed(await invite("second"));
  const answer = printed(await run(kim, ["invitations", "accept", "--as-me", "--with-secret", "--json"], secret));
  const own = JSON.parse(printed(await run(kim, ["whoami", "--json"]))) as { person: { id: string } };
  expect(JSON.parse(answer)).toMatchObject({ account: { name: "second" }, member: { id: own.person.id } });
});

it("has tokens of its own and of operators with a role", async () => {
  const operator = server.operatorToken;
  const role = ["--scope", "operator", "--operator-role", "read-only"];
  const token = printed(await run(operator, ["tokens", "create", "audit", "--scope", "read", ...role])).trim();
  expect(printed(await run(token, ["whoami"]))).toMatch(/^Operator role +read-only$/m);
  expect(await run(token, ["hosts", "cordon", "us-east-1-a10-01"])).toMatchObject({ code: 4 });
  printed(await run(token, ["hosts", "list"]));
});
