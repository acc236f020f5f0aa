// People in the console: an owner invites, the person joins without a session, and what each may do follows the role at once.

import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { afterFile, afterTest } from "../support/when-over.ts";
import { expectUsable, peopleOf, row } from "./support/people.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
let stand: Stand;
beforeAll(async () => {
  stand = await startStand(whenOver);
});

const { call, person } = peopleOf(() => stand);

/** Invites in the open page of the team. Returns the link that is shown once. */
async function invite(page: Page, email: string, role?: string): Promise<string> {
  await page.getByRole("button", { name: "Invite person" }).click();
  const dialog = page.getByRole("dialog", { name: "Invite person" });
  await dialog.getByLabel("Email").fill(email);
  if (role !== undefined) {
    await dialog.getByRole("combobox", { name: "Role" }).click();
    await page.getByRole("option", { name: role }).click();
  }
  await dialog.getByRole("button", { name: "Invite" }).click();
  return shownLink(page, email);
}

async function shownLink(page: Page, email: string): Promise<string> {
  const shown = page.getByRole("dialog", { name: `Invitation of ${email}` });
  await shown.getByText("You can't view it again.").waitFor();
  const link = (await shown.locator("pre").textContent()) ?? "";
  expect(link).toMatch(/\/join#lessor_invite_/);
  await shown.getByRole("button", { name: "I've saved it" }).click();
  return link;
}

describe("a person", () => {
  it("is invited, joins by the link without a session, and can do what the role may until it is changed or ended", async () => {
    const owner = await stand.signedIn("/team", (await person("stark", "owner", "Ada")).token);
    await row(owner, "ada@example.com").getByText("You", { exact: true }).waitFor();
    const link = await invite(owner, "eve@example.com");
    await row(owner, "eve@example.com").getByText("Member").waitFor();

    const page = await stand.open(link.slice(stand.url.length));
    await expect.poll(() => page.url()).toBe(`${stand.url}/join`);
    await page.getByRole("button", { name: "Accept invitation" }).click();
    await page.getByText("Enter your name.").waitFor();
    await expectUsable(page);
    await page.getByLabel("Your name").fill("Eve");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "You joined stark" }).waitFor();
    expect(await page.locator("pre").textContent()).toMatch(/^lessor_/);
    await expectUsable(page);
    await page.getByRole("button", { name: "I've saved it, open the console" }).click();
    await page.getByRole("heading", { level: 1, name: "Instances" }).waitFor();
    await page.getByRole("link", { name: "Launch instance" }).first().waitFor();

    await page.getByRole("link", { name: "Team" }).click();
    await page.getByText("You can't invite people. This needs the role owner or admin.").waitFor();
    expect(await page.getByRole("heading", { name: "Open invitations" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: /Remove|Change/ }).count()).toBe(0);
    await page.getByRole("button", { name: "Leave the team" }).waitFor();

    await page.getByRole("link", { name: "Instances" }).click();
    await owner.getByRole("button", { name: "Change role of Eve" }).click();
    const change = owner.getByRole("dialog", { name: "Role of Eve" });
    await change.getByRole("combobox", { name: "Role" }).click();
    await owner.getByRole("option", { name: "Viewer" }).click();
    await change.getByRole("list", { name: "What the role viewer may do" }).waitFor();
    await expectUsable(owner);
    await change.getByRole("button", { name: "Change role" }).click();
    // Without a reload.
    await expect.poll(() => page.getByRole("link", { name: "Launch instance" }).count()).toBe(0);
    await page.getByRole("link", { name: "Launch", exact: true }).click();
    await page.getByText("This needs the role owner, admin or member.").waitFor();

    await owner.getByRole("button", { name: "Remove Eve" }).click();
    const remove = owner.getByRole("dialog", { name: "Remove Eve?" });
    await remove.getByLabel(/^Type/).fill("Eve");
    await remove.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await expect.poll(() => row(owner, "eve@example.com").count()).toBe(0);
  });

  it("who is the last owner stays, and another one leaves", async () => {
    const { token } = await person("wayne", "owner", "Bruce");
    const page = await stand.signedIn("/team", token);
    await row(page, "Bruce").getByText("Last owner").waitFor();
    expect(await page.getByRole("button", { name: "Leave the team" }).count()).toBe(0);
    await person("wayne", "owner", "Lucius");
    await row(page, "Lucius").waitFor();
    await page.getByRole("button", { name: "Leave the team" }).click();
    const leave = page.getByRole("dialog", { name: "Leave wayne?" });
    await leave.getByText("you will be signed out").waitFor();
    await leave.getByLabel(/^Type/).fill("wayne");
    await leave.getByRole("button", { name: "Leave" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });

  it("of another team joins with a token of that team, as the same person", async () => {
    const owner = await stand.signedIn("/team", (await person("oscorp", "owner", "Norman")).token);
    const { token } = await person("queens", "member", "Peter");
    const link = await invite(owner, "peter@queens.example", "Billing");
    const page = await stand.open(link.slice(stand.url.length));
    await page.getByText("I have a token").click();
    await page.getByLabel("Your token of another team").fill(token);
    await page.getByRole("button", { name: "Accept invitation" }).click();
    await page.getByText("Your role is billing.").waitFor();
    await row(owner, "peter@example.com").getByText("Billing").waitFor();
  });
});

describe("a person who is signed in", () => {
  it("joins another team as the same person, and goes on there", async () => {
    const owner = await stand.signedIn("/team", (await person("roxxon", "owner", "Hugh")).token);
    const page = await stand.signedIn("/instances", (await person("bugle", "member", "Jonah")).token);
    await page.goto(await invite(owner, "jonah@bugle.example", "Billing"));
    await page.getByText("I'm Jonah").waitFor();
    await expectUsable(page);
    await page.getByRole("button", { name: "Accept invitation" }).click();
    await page.getByText("you go on in your session").waitFor();
    await page.getByRole("button", { name: "I've saved it, open the console" }).click();
    await page.getByRole("button", { name: /^Account roxxon/ }).waitFor();
    await row(owner, "jonah@example.com").getByText("Billing").waitFor();
  });

  it("can also be another person who joins, whose invitation does not name the session", async () => {
    const owner = await stand.signedIn("/team", (await person("pym", "owner", "Hank")).token);
    const page = await stand.signedIn("/instances", (await person("lang", "member", "Scott")).token);
    await page.goto(await invite(owner, "cassie@lang.example"));
    await page.getByText("I'm new here").click();
    await page.getByLabel("Your name").fill("Cassie");
    await page.getByRole("button", { name: "Accept invitation" }).click();
    await page.getByText("You sign in with it.").waitFor();
    await row(owner, "cassie@lang.example").getByText("Cassie", { exact: true }).waitFor();
  });
});

describe("an invitation", () => {
  it("is replaced by one with another secret, or revoked, and then not accepted", async () => {
    const owner = await stand.signedIn("/team", (await person("tyrell", "owner", "Eldon")).token);
    const first = await invite(owner, "roy@example.com", "Viewer");
    await owner.getByRole("button", { name: "Replace the invitation of roy@example.com" }).click();
    await owner.getByRole("dialog").getByRole("button", { name: "Replace" }).click();
    const second = await shownLink(owner, "roy@example.com");
    expect(second).not.toBe(first);
    await owner.getByRole("button", { name: "Revoke the invitation of roy@example.com" }).click();
    await owner.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await owner.getByText("No open invitations").waitFor();
    const page = await stand.open("/join");
    for (const link of [first, second]) {
      // In a page that is open already.
      await page.goto(link);
      await expect
        .poll(() => page.getByLabel("Secret of your invitation").inputValue())
        .toBe(link.slice(link.indexOf("#") + 1));
      await page.getByLabel("Your name").fill("Roy");
      await page.getByRole("button", { name: "Accept invitation" }).click();
      await page.getByText("Is not of an open invitation").waitFor();
    }
  });

  it("of an owner is only for owners to make", async () => {
    const page = await stand.signedIn("/team", (await person("cyberdyne", "admin", "Miles")).token);
    await page.getByRole("button", { name: "Invite person" }).click();
    const dialog = page.getByRole("dialog", { name: "Invite person" });
    await dialog.getByText("Owner: This needs the role owner.").waitFor();
    await dialog.getByRole("combobox", { name: "Role" }).click();
    expect(await page.getByRole("option", { name: "Owner" }).getAttribute("data-combobox-disabled")).toBe("true");
  });
});

describe("a token", () => {
  it("belongs to its person or the team, and is revoked by those alone who may", async () => {
    const admin = await person("encom", "admin", "Alan");
    const owner = await person("encom", "owner", "Lora");
    const page = await stand.signedIn("/tokens", admin.token);
    await page.getByRole("button", { name: "New token" }).click();
    const dialog = page.getByRole("dialog", { name: "New token" });
    await dialog.getByLabel("Name").fill("pipeline");
    await dialog.getByRole("combobox", { name: "Belongs to" }).click();
    await page.getByRole("option", { name: "The team" }).click();
    await expectUsable(page);
    await dialog.getByRole("button", { name: "Create token" }).click();
    await page.getByRole("button", { name: "I've saved it" }).click();
    await row(page, "pipeline").getByText("Team", { exact: true }).waitFor();
    await row(page, "Alan").getByText("This session").waitFor();
    // An admin does not revoke those of owners.
    await row(page, "Lora").waitFor();
    expect(await row(page, "Lora").getByRole("button", { name: "Revoke" }).count()).toBe(0);
    expect(await row(page, "pipeline").getByRole("button", { name: "Revoke" }).count()).toBe(1);

    const viewer = await stand.signedIn("/tokens", (await person("encom", "viewer", "Kevin")).token);
    await row(viewer, "Kevin").getByRole("button", { name: "Revoke" }).waitFor();
    expect(await viewer.getByRole("button", { name: "Revoke" }).count()).toBe(1);
    expect(await viewer.getByRole("button", { name: "Limit" }).count()).toBe(0);
    await viewer.getByRole("button", { name: "New token" }).click();
    await viewer.getByText("Tokens of the team: This needs the role owner or admin.").waitFor();
    await call(owner.token, "GET", "/account");
  });
});

it("secrets of the page that accepts are sent in bodies and headers, never in an address or with a session", async () => {
  const page = await stand.open("/join#lessor_invite_nonsense");
  const sent: { readonly address: string; readonly headers: Promise<Record<string, string>> }[] = [];
  page.on("request", (request) => sent.push({ address: request.url(), headers: request.allHeaders() }));
  afterTest(() => void sent.splice(0));
  await page.getByLabel("Your name").fill("Mallory");
  await page.getByRole("button", { name: "Accept invitation" }).click();
  await page.getByText("Is not of an open invitation").waitFor();
  const headers = await Promise.all(sent.map(async (one) => JSON.stringify(await one.headers)));
  expect(sent.length).toBeGreaterThan(1);
  expect([...sent.map(({ address }) => address), ...headers].join()).not.toContain("lessor_invite_nonsense");
  expect(headers.join()).not.toContain("lessor_console");
});
