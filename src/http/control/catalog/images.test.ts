import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, startControl } from "../../../../test/support/control.ts";

interface Image {
  name: string;
  default: boolean;
}

let control: Control;
beforeAll(async () => {
  control = await startControl();
});
afterAll(() => control.close());

const defaults = async () => ((await control.data("GET", "/images")) as Image[]).filter((one) => one.default);

const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const moments = { created_at: moment, updated_at: moment };

describe("putting an image", () => {
  it("creates it with every field, and a second time changes nothing", async () => {
    const body = {
      number: 4,
      description: "For older frameworks",
      family: "ubuntu",
      version: "20.04.6",
      architecture: "arm64",
      login_user: "admin",
      unsupported_gpu_models: ["l40s", "h100_pcie"],
      jupyter: true,
      metrics: true,
      driver_branch: "570",
      default: true,
    };
    const first = await control.data("PUT", "/images/old", { body });
    expect(first).toEqual({ name: "old", ...body, ...moments });
    expect(await control.data("PUT", "/images/old", { body })).toEqual(first);
    expect(await control.data("GET", "/images")).toEqual([first]);
  });

  it("gives what is left out its default", async () => {
    expect(await control.data("PUT", "/images/plain", { body: { number: 5 } })).toEqual({
      name: "plain",
      number: 5,
      description: "plain",
      family: "plain",
      version: "",
      architecture: "x86_64",
      login_user: "ubuntu",
      unsupported_gpu_models: [],
      jupyter: false,
      metrics: false,
      driver_branch: null,
      default: false,
      ...moments,
    });
  });

  it("as default takes that from the one that was", async () => {
    await control.data("PUT", "/images/first", { body: { number: 10, default: true } });
    await control.data("PUT", "/images/second", { body: { number: 11, default: true } });
    expect((await defaults()).map(({ name }) => name)).toEqual(["second"]);
    await control.data("PUT", "/images/second", { body: { number: 11 } });
    expect(await defaults()).toEqual([]);
  });

  it("as default by many at once leaves exactly one", async () => {
    const puts = Array.from({ length: 12 }, (_, i) =>
      control.ask("PUT", `/images/racing-${i}`, { body: { number: 100 + i, default: true } }),
    );
    expect((await Promise.all(puts)).map(({ status }) => status)).toEqual(puts.map(() => 200));
    expect(await defaults()).toHaveLength(1);
  });

  it("takes a GPU model that is named twice once", async () => {
    const body = { number: 40, unsupported_gpu_models: ["b", "a", "b"] };
    expect(await control.data("PUT", "/images/twice", { body })).toMatchObject({ unsupported_gpu_models: ["b", "a"] });
  });

  it("is refused for a number that another image has", async () => {
    await control.data("PUT", "/images/one", { body: { number: 20 } });
    const result = await control.ask("PUT", "/images/two", { body: { number: 20 } });
    expect([result.status, codeOf(result), fieldsOf(result)]).toEqual([409, "global/duplicate", ["number"]]);
    expect(await control.data("PUT", "/images/one", { body: { number: 21 } })).toMatchObject({ number: 21 });
  });

  it.each([
    [{}, "number"],
    [{ number: 0 }, "number"],
    [{ number: 2 ** 31 }, "number"],
    [{ number: "1" }, "number"],
    [{ number: 1, login_user: "root user" }, "login_user"],
    [{ number: 1, login_user: "" }, "login_user"],
    [{ number: 1, login_user: "a".repeat(33) }, "login_user"],
    [{ number: 1, family: 3 }, "family"],
    [{ number: 1, unsupported_gpu_models: "a10" }, "unsupported_gpu_models"],
    [{ number: 1, unsupported_gpu_models: [1] }, "unsupported_gpu_models.0"],
    [{ number: 1, unsupported_gpu_models: Array.from({ length: 101 }, (_, i) => `m${i}`) }, "unsupported_gpu_models"],
    [{ number: 1, jupyter: "yes" }, "jupyter"],
    [{ number: 1, default: "yes" }, "default"],
    [{ number: 1, default: 1 }, "default"],
  ])("refuses %j", async (body, field) => {
    const result = await control.ask("PUT", "/images/bad", { body });
    expect([result.status, codeOf(result), fieldsOf(result)]).toEqual([400, "global/invalid-parameters", [field]]);
  });
});

describe("the name of an image", () => {
  it.each(["Ubuntu Server 22.04 w/ drivers", "a", "x".repeat(64)])(
    "may be %j, as clients of variant D know some",
    async (name) => {
      const path = `/images/${encodeURIComponent(name)}`;
      expect(await control.data("PUT", path, { body: { number: 500 } })).toMatchObject({ name, description: name });
      expect(await control.data("DELETE", path)).toEqual({});
    },
  );

  it.each([" a", "a ", "/a", "-a", "a\nb", "ä", "x".repeat(65)])("is not %j", async (name) => {
    const result = await control.ask("PUT", `/images/${encodeURIComponent(name)}`, { body: { number: 501 } });
    expect([result.status, fieldsOf(result)]).toEqual([400, ["name"]]);
  });
});

describe("listing and deleting images", () => {
  it("is by name, page by page", async () => {
    const all = await control.data("GET", "/images");
    expect((await control.pages("/images", 3)).flat()).toEqual(all);
  });

  it("is gone when deleted, and 404 after that", async () => {
    await control.data("PUT", "/images/gone", { body: { number: 30 } });
    expect(await control.data("DELETE", "/images/gone")).toEqual({});
    expect((await control.ask("DELETE", "/images/gone")).status).toBe(404);
  });
});
