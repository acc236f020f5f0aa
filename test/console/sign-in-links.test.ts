// Signing in by a link in a real browser, switching teams, and the list of sessions.

import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { startDemoService } from "../support/demo-service.ts";
import type { RunningServer } from "../support/server.ts";
import { shownLinks } from "../support/sign-in.ts";
import { afterFile } from "../support/when-over.ts";
import { serious } from "./support/accessibility.ts";
import { openBrowser, openPage } from "./support/browser.ts";

const whenOver = afterFile();
const links = shownLinks();
let server: RunningServer;
beforeAll(async () => {
  server = await startDemoService(whenOver, { demoLinks: links.demoLinks });
});

const open = async (path = "/") => {
  const page = await openPage(await openBrowser(), {});
  await page.goto(`${server.url}${path}`);
  return page;
};

const post = async (path: string, token: string | undefined, body: object) => {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(`${server.control}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { data: { secret: string; token: { token: string } } }).data;
};

/** A person of these teams, each new. */
async function person(email: string, ...teams: readonly string[]): Promise<void> {
  let token: string | undefined;
  for (const team of teams) {
    await server.customerToken(team);
    const { id } = await server.db
      .selectFrom("accounts")
      .select("id")
      .where("name", "=", team)
      .executeTakeFirstOrThrow();
    const { secret } = await post(`/accounts/${id}/invitations`, server.operatorToken, { email, role: "owner" });
    const name = token === undefined ? { name: "Ada" } : {};
    token = (await post("/invitations/accept", token, { secret, ...name })).token.token;
  }
}

async function linkFor(page: Page, email: string): Promise<string> {
  const before = links.all.length;
  await page.getByLabel("Email").fill(email);
  await page.getByRole("button", { name: "Email me a link" }).click();
  await page.getByText("Check your email").waitFor();
  await expect.poll(() => links.all.length).toBe(before + 1);
  return `/sign-in${new URL(links.all.at(-1) ?? "").hash}`;
}

const console_ = (page: Page) => page.getByRole("navigation", { name: "Console" }).waitFor({ state: "attached" });

describe("a person", () => {
  it("joins another team in the session of a link, and goes on there in it", async () => {
    await person("bea@example.com", "links-three");
    await person("cyd@example.com", "links-four");
    const { id } = await server.db
      .selectFrom("accounts")
      .select("id")
      .where("name", "=", "links-four")
      .executeTakeFirstOrThrow();
    const order = { email: "bea@work.example", role: "viewer" };
    const { secret } = await post(`/accounts/${id}/invitations`, server.operatorToken, order);
    const page = await open();
    await page.goto(`${server.url}${await linkFor(page, "bea@example.com")}`);
    await page.getByRole("button", { name: "Sign in" }).click();
    await console_(page);
    await page.goto(`${server.url}/join#${secret}`);
    await page.getByText("I'm Ada").waitFor();
    await page.getByRole("button", { name: "Accept invitation" }).click();
    await page.getByRole("button", { name: "I've saved it, open the console" }).click();
    await page.getByRole("button", { name: /^Account links-four/ }).click();
    await page.getByRole("menuitem", { name: "Team: links-three" }).waitFor();
  });

  it("signs in with a link, switches the team, and ends another session", async () => {
    await person("ada@example.com", "links-one", "links-two");
    const page = await open();
    expect(await serious(page)).toEqual([]);
    const link = await linkFor(page, "ada@example.com");
    await page.goto(`${server.url}${link}`);
    expect(await serious(page)).toEqual([]);
    expect(page.url()).toBe(`${server.url}/sign-in`);
    await page.getByRole("button", { name: "Sign in" }).click();
    await console_(page);
    await page.waitForURL(`${server.url}/instances`);

    const other = await open();
    await other.goto(`${server.url}${await linkFor(other, "ada@example.com")}`);
    await other.getByRole("button", { name: "Sign in" }).click();
    await console_(other);

    await page.getByRole("button", { name: /^Account links-one/ }).click();
    await page.getByRole("menuitem", { name: "Team: links-two" }).click();
    await page.getByRole("button", { name: /^Account links-two/ }).waitFor();
    await page.getByRole("button", { name: /^Account links-two/ }).click();
    await page.getByRole("menuitem", { name: "Sessions" }).click();
    await page.getByText("This session").waitFor();
    expect(await serious(page)).toEqual([]);
    await page.getByRole("button", { name: "End all other sessions" }).click();
    await page.getByRole("button", { name: "End all other sessions" }).waitFor({ state: "detached" });
    await other.reload();
    await other.getByRole("heading", { name: "Sign in" }).waitFor();
  });

  it("is asked for the address of a link that another browser requested", async () => {
    await person("eve@example.com", "links-three");
    const link = await linkFor(await open(), "eve@example.com");
    const page = await open(link);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("requested in another browser").waitFor();
    expect(await serious(page)).toEqual([]);
    await page.getByRole("button", { name: "Sign in as eve@example.com" }).click();
    await page.getByRole("button", { name: /^Account links-three/ }).waitFor();
    const again = await open(link);
    await again.getByRole("button", { name: "Sign in" }).click();
    await again.getByText("This link is not valid").waitFor();
    await again.getByRole("button", { name: "Go to sign-in" }).click();
    await again.getByLabel("Email").waitFor();
  });

  it("whose window shows a team that another window left sees the new one, and changes nothing in it", async () => {
    await person("kim@example.com", "links-four", "links-five");
    const page = await open();
    await page.goto(`${server.url}${await linkFor(page, "kim@example.com")}`);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: /^Account links-four/ }).waitFor();
    const second = await page.context().newPage();
    await second.goto(`${server.url}/tokens`);
    await second.getByRole("button", { name: /^Account links-four/ }).click();
    await second.getByRole("menuitem", { name: "Team: links-five" }).click();
    await second.getByRole("button", { name: /^Account links-five/ }).waitFor();
    await page.getByRole("link", { name: "Tokens" }).click();
    await page.getByRole("button", { name: /^Account links-five/ }).waitFor();
  });
});
