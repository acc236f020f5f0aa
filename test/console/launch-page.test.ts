// What the launch page says before a launch: what does not fit, what is not offered, and what was rejected, in sight.

import { beforeEach, describe, expect, it } from "vitest";
import { openPage, settled } from "./support/browser.ts";
import { fixedConsoleOfFile } from "./support/fixed/console-of-file.ts";
import { fixedNow, inTime } from "./support/fixed/moments.ts";
import { offers, quote } from "./support/fixed/room.ts";

const fixed = fixedConsoleOfFile();

/** A type with a region that lacks its GPU model, and one that is full. */
const offer = offers.find(({ regions }) => regions.some(({ offered }) => !offered));
if (offer === undefined) throw new Error("BUG: in the fixed world every region has every model");
const type = offer.instance_type.name;

async function open(height = 800) {
  const page = await openPage(fixed.browser, { viewport: { width: 1280, height } });
  await page.goto(`${fixed.service.url}/launch`);
  await settled(page);
  return page;
}

describe("the launch page", () => {
  beforeEach(() => fixed.service.instead.clear());

  it("says full of what is used up, and not offered of a region without the GPU model", async () => {
    const regions = offer.regions.map((region, index) => ({
      ...region,
      offered: index !== 0,
      available: index === 2 ? 1234 : 0,
    }));
    fixed.service.instead.set("/offers", { data: [{ ...offer, regions }] });
    const page = await open();
    await page.locator(`input[value="${type}"]`).check({ force: true });
    const words = page.getByRole("radiogroup", { name: "Region" }).locator("label");
    const texts = await words.allInnerTexts();
    expect(texts[1]).toContain("not offered");
    expect(texts[1]).not.toContain("full");
    expect(texts[2]).toContain("full");
    expect(texts[3]).toContain("1,234 free");
  });

  it("says about when GPUs are back that are being reset, of a type without capacity", async () => {
    const returning = [
      { gpus: 2, back_at: inTime(150) },
      { gpus: 1, back_at: null },
    ];
    const regions = offer.regions.map((region, index) => ({
      ...region,
      ...{ offered: true, available: 0, returning: index === 0 ? returning : [] },
    }));
    const [first] = regions;
    if (first === undefined) throw new Error("BUG: the fixed world has regions");
    fixed.service.instead.set("/offers", { data: [{ ...offer, available: 0, regions }] });
    const asked = quote(new URLSearchParams({ instance_type: type }));
    const back = returning.map((one) => ({ region: first.name, ...one }));
    fixed.service.instead.set("/quote", {
      data: { ...asked, fits: false, fits_in: [], region_chosen: null, returning: back },
    });
    const page = await openPage(fixed.browser, { viewport: { width: 1280, height: 800 } });
    await page.clock.setFixedTime(fixedNow);
    await page.goto(`${fixed.service.url}/launch`);
    await settled(page);
    const words = "2 GPUs back in about 3 minutes, 1 more being reset or validated";
    await page.getByRole("radiogroup", { name: "Instance type" }).getByText(words).waitFor();
    await page.locator(`input[value="${type}"]`).check({ force: true });
    await page.getByRole("radiogroup", { name: "Region" }).locator("label").nth(1).getByText(words).waitFor();
    await page.getByRole("alert").getByText(`${words}. Choose another instance type`).waitFor();
    expect(await page.getByRole("radiogroup", { name: "Region" }).getByText(words).count()).toBe(1);
  });

  it("sorts instance types by price and by GPU memory", async () => {
    const page = await open();
    const first = page.getByRole("radiogroup", { name: "Instance type" }).locator("input").first();
    const cheapest = await first.getAttribute("value");
    await page.getByLabel("Sort instance types").selectOption("GPU memory: high to low");
    await expect.poll(() => first.getAttribute("value")).toMatch(/gpu_8x_(h100|a100_80gb)/);
    await page.getByLabel("Sort instance types").selectOption("Price: high to low");
    const prices = offers.map(({ instance_type }) => instance_type.price_cents_per_hour);
    const dearest = offers.find(({ instance_type }) => instance_type.price_cents_per_hour === Math.max(...prices));
    await expect.poll(() => first.getAttribute("value")).toBe(dearest?.instance_type.name);
    await page.getByLabel("Sort instance types").selectOption("Price: low to high");
    await expect.poll(() => first.getAttribute("value")).toBe(cheapest);
  });

  it("lets nothing be launched that is known not to fit, and says why", async () => {
    const asked = quote(new URLSearchParams({ instance_type: type }));
    fixed.service.instead.set("/quote", { data: { ...asked, fits: false, fits_in: [], region_chosen: null } });
    const page = await open();
    await page.clock.install();
    await page.locator(`input[value="${type}"]`).check({ force: true });
    await page.getByText("It doesn't fit in any region now.").waitFor();
    expect(await page.getByRole("button", { name: "Launch instance" }).isDisabled()).toBe(true);
    // Others have released what they had: it is asked for again without an event.
    fixed.service.instead.clear();
    const isEnabled = async () => {
      await page.clock.fastForward(1000);
      return page.getByRole("button", { name: "Launch instance" }).isEnabled();
    };
    await expect.poll(isEnabled).toBe(true);
  });

  it("says how many fit where, of a quantity that fits nowhere", async () => {
    const regions = offer.regions.map((region, index) => ({ ...region, offered: true, available: index < 2 ? 2 : 0 }));
    fixed.service.instead.set("/offers", { data: [{ ...offer, regions }] });
    const asked = quote(new URLSearchParams({ instance_type: type, quantity: "3" }));
    fixed.service.instead.set("/quote", { data: { ...asked, fits: false, fits_in: [], region_chosen: null } });
    const page = await open();
    await page.locator(`input[value="${type}"]`).check({ force: true });
    await page.getByRole("textbox", { name: "Quantity" }).fill("3");
    const box = page.getByRole("alert").filter({ hasText: "Not enough capacity" });
    const [first, second] = regions;
    await box.getByText(`Of 3, these fit now: ${first?.name} (2), ${second?.name} (2).`).waitFor();

    // One region was chosen: what fits there, and where all of them do.
    const region = first?.name ?? "";
    const other = { name: second?.name ?? "", description: "", available: 5 };
    fixed.service.instead.set("/quote", { data: { ...asked, region, fits: false, fits_in: [other] } });
    await page.locator(`input[name=region][value="${region}"]`).check({ force: true });
    await page.getByText(`Not enough capacity in ${region}`).waitFor();
    await page.getByText("2 of 3 fit there. All of them fit here:").waitFor();
  });

  it("shows all of what was rejected, in a low window too", async () => {
    const page = await open(560);
    await page.locator(`input[value="${type}"]`).check({ force: true });
    const message = "There is not enough capacity. ".repeat(12);
    const error = { code: "x", message, suggestion: "Choose another region. ".repeat(12), request_id: "0b5f0c7e" };
    await page.route("**/instances", (route) =>
      route.request().method() === "POST"
        ? route.fulfill({ status: 400, contentType: "application/json", body: JSON.stringify({ error }) })
        : route.continue(),
    );
    await page.getByRole("button", { name: "Launch instance" }).click();
    const box = page.getByRole("complementary", { name: "Summary" }).getByRole("alert");
    await box.waitFor();
    const cut = await box.evaluate((one) => one.scrollHeight - one.clientHeight);
    expect(cut).toBeLessThanOrEqual(1);
    // Its end is in the window without scrolling by hand.
    const { y = 0, height = 0 } = (await box.getByRole("button", { name: /request id/ }).boundingBox()) ?? {};
    expect(y).toBeGreaterThan(0);
    expect(y + height).toBeLessThanOrEqual(560);
  });
});
