// What operators do with the money and the people of accounts in the console: invite the first owner, record what was paid,
// pay back and correct, and give vouchers; each by those alone whose role may.

import { beforeAll, expect, it } from "vitest";
import { afterFile } from "../support/when-over.ts";
import { expectUsable, peopleOf, row } from "./support/people.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
let stand: Stand;
beforeAll(async () => {
  stand = await startStand(whenOver);
});
const { call, operator } = peopleOf(() => stand);

async function account(name: string): Promise<string> {
  return ((await call(stand.operatorToken, "POST", "/accounts", { name })) as { id: string }).id;
}

it("an account gets its first owner, and entries by hand, each counted once", async () => {
  const id = await account("newcomer");
  const page = await stand.signedIn(`/operator/accounts/${id}`, stand.operatorToken);
  await page.getByRole("button", { name: "Invite person" }).click();
  const invite = page.getByRole("dialog", { name: "Invite person" });
  expect(await invite.getByRole("combobox", { name: "Role" }).inputValue()).toBe("Owner");
  await invite.getByLabel("Email").fill("first@newcomer.example");
  await invite.getByRole("button", { name: "Invite" }).click();
  const shown = page.getByRole("dialog", { name: "Invitation of first@newcomer.example" });
  const secret = decodeURIComponent((await shown.locator("pre").textContent())?.split("#")[1] ?? "");
  await shown.getByRole("button", { name: "I've saved it" }).click();
  await call(undefined, "POST", "/invitations/accept", { secret, name: "First" });
  // Without a reload.
  await row(page, "first@newcomer.example").getByText("Owner").waitFor();

  const record = async (button: string, fields: Readonly<Record<string, string>>) => {
    const dialog = page.getByRole("dialog", { name: /newcomer/ });
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: button, exact: true }).click();
    for (const [label, text] of Object.entries(fields)) await dialog.getByLabel(label).fill(text);
    await dialog.getByRole("button", { name: /^(Record|Adjust)/ }).click();
    return dialog;
  };
  await record("Record payment", { Amount: "500.00", Reference: "RF18 0001" });
  await row(page, "RF18 0001").getByText("+$500.00").waitFor();
  const twice = await record("Record payment", { Amount: "500", Reference: "RF18 0001" });
  await expect.poll(() => twice.getByLabel("Reference").getAttribute("aria-invalid")).toBe("true");
  await expectUsable(page);
  await twice.getByRole("button", { name: "Cancel" }).click();
  const tooMuch = await record("Record refund", { Amount: "500.01", Reference: "R-1", Reason: "Closed" });
  await tooMuch.getByRole("alert").waitFor();
  await tooMuch.getByLabel("Amount").fill("20");
  await tooMuch.getByRole("button", { name: "Record refund" }).click();
  await row(page, "R-1").getByText("−$20.00").waitFor();

  await tooMuch.waitFor({ state: "detached" });

  await page.getByRole("button", { name: "Adjust", exact: true }).click();
  const adjust = page.getByRole("dialog", { name: /^Adjust balance/ });
  await adjust.getByText("Take", { exact: true }).click();
  await adjust.getByLabel("Amount").fill("0.50");
  await adjust.getByLabel("Reason").fill("Rounding");
  // The response is lost; the next attempt is the same one.
  await page.route("**/adjustments", async (route) => {
    await route.fetch();
    await route.abort();
  });
  await adjust.getByRole("button", { name: "Adjust balance" }).click();
  await adjust.getByText("The service can't be reached").waitFor();
  await page.unroute("**/adjustments");
  await adjust.getByRole("button", { name: "Adjust balance" }).click();
  await row(page, "Rounding").getByText("−$0.50").waitFor();
  expect(await call(stand.operatorToken, "GET", `/accounts/${id}/balance`)).toMatchObject({
    balance_cents: "47950.000000",
  });
  expect(await row(page, "Rounding").count()).toBe(1);
});

it("an account is made to pay before, which goes with no credit line", async () => {
  const id = await account("prepaying");
  const page = await stand.signedIn(`/operator/accounts/${id}`, stand.operatorToken);
  await page.getByRole("combobox", { name: "Payment" }).click();
  await page.getByRole("option", { name: "Prepaid" }).click();
  await page.getByLabel("Credit line").fill("100");
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => page.getByLabel("Credit line").getAttribute("aria-invalid")).toBe("true");
  await page.getByLabel("Credit line").fill("");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved prepaying.").waitFor();
  await page.getByText("Prepaid", { exact: true }).first().waitFor();
  expect(await call(stand.operatorToken, "GET", `/accounts/${id}`)).toMatchObject({ payment_terms: "prepaid" });
});

it("a voucher is created with a code that is shown once, counts its uses, and is deleted", async () => {
  const page = await stand.signedIn("/operator/vouchers", stand.operatorToken);
  await page.getByText("No vouchers").waitFor();
  await page.getByRole("button", { name: "New voucher" }).click();
  const dialog = page.getByRole("dialog", { name: "New voucher" });
  await dialog.getByLabel("Name").fill("Workshop");
  await dialog.getByLabel("Amount").fill("25");
  await dialog.getByLabel("Code").fill("short");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect.poll(() => dialog.getByLabel("Code").getAttribute("aria-invalid")).toBe("true");
  await dialog.getByLabel("Code").fill("");
  await dialog.getByRole("button", { name: "Create" }).click();
  const shown = page.getByRole("dialog", { name: "Voucher Workshop" });
  const code = (await shown.locator("pre").textContent()) ?? "";
  await expectUsable(page);
  await shown.getByRole("button", { name: "I've saved it" }).click();
  await row(page, "Workshop").getByText("Active").waitFor();
  await call(await stand.customerToken("guest"), "POST", "/vouchers/redeem", { code });
  await page.reload();
  await row(page, "Workshop").getByText("Used up").waitFor();
  await page.getByRole("button", { name: "Delete Workshop" }).click();
  await page.getByRole("dialog", { name: "Delete Workshop?" }).getByRole("button", { name: "Delete" }).click();
  await page.getByText("No vouchers").waitFor();
});

it("an operator whose role may not change something sees why", async () => {
  const id = await account("watched");
  const support = await stand.signedIn(`/operator/accounts/${id}`, await operator("support"));
  await support.getByText("You can't record entries. This needs the role operator or finance.").waitFor();
  await support.getByText("You can't invite people. This needs the role operator.").waitFor();
  await support.getByText("You can't change this. This needs the role operator or finance.").waitFor();
  await support.getByText("You can't create tokens. This needs the role operator.").waitFor();
  await expectUsable(support);
  const finance = await stand.signedIn(`/operator/accounts/${id}`, await operator("finance"));
  await finance.getByRole("button", { name: "Record payment" }).waitFor();
  await finance.getByText("You can't invite people. This needs the role operator.").waitFor();
});
