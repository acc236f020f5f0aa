// The launch bodies of the specification: every field is taken as it says, required or optional, with its type.

import { sql } from "kysely";
import { beforeAll, expect } from "vitest";
import { envVarsContext } from "../../src/rental/instances/instance.ts";
import { examplePublicKey } from "../support/world.ts";
import { at, fieldsOf } from "./client.ts";
import { claim } from "./rows.ts";
import { type Customer, coupons, images, regions, sceneOfFile, types } from "./scene.ts";
import { direct, marketplace, reference, type VariantFacts } from "./variants.ts";

const scene = sceneOfFile();
let ada: Customer;

beforeAll(async () => {
  ada = await scene.customer();
  for (const name of ["laptop", "desk"]) {
    const body = { name, public_key: examplePublicKey };
    await scene.client.need("reference", "POST", "/ssh-keys", { token: ada.token, body });
  }
});

const whole = new Map<VariantFacts, Record<string, unknown>>([
  [marketplace, { instance_type_name: types.cpu, region_name: "any", ssh_key_names: [], quantity: 1 }],
  [direct, { productName: types.cpu, regionName: "any" }],
  [reference, { region_name: "any", instance_type_name: types.cpu }],
]);

function post(variant: VariantFacts, body: object) {
  return scene.client.ask(variant.name, "POST", variant.launch.path, { token: ada.token, body });
}

/** Launches with these fields more; gives the ids, and what R shows of the first. */
async function launch(variant: VariantFacts, more: object = {}) {
  const answer = await post(variant, { ...whole.get(variant), ...more });
  expect(answer.status, answer.text).toBe(variant.launch.status);
  const ids = variant.launch.ids(answer.body).map(String);
  const read = (one: VariantFacts) =>
    scene.client.need(one.name, "GET", one.read.path(ids[0] ?? ""), { token: ada.token }).then(one.read.entry);
  return { ids, shown: await read(reference), inD: await read(direct) };
}

async function refuses(variant: VariantFacts, field: string, values: readonly unknown[]): Promise<void> {
  for (const value of values) {
    const answer = await post(variant, { ...whole.get(variant), [field]: value });
    expect(answer.status, JSON.stringify(value)).toBe(400);
    expect(fieldsOf(answer).every((name) => name === field || name.startsWith(`${field}.`))).toBe(true);
  }
}

async function requires(variant: VariantFacts, field: string): Promise<void> {
  const { [field]: _left, ...without } = whole.get(variant) ?? {};
  const answer = await post(variant, without);
  expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
}

const noText = [5, null, true, ["x"], {}];
const noTexts = ["x", null, 5, {}, [5], [null], ["x", 5]];

async function takesType(variant: VariantFacts, field: string): Promise<void> {
  await requires(variant, field);
  await refuses(variant, field, [...noText, "no such type", ""]);
  expect(at((await launch(variant, { [field]: types.l4 })).shown, "instance_type", "name")).toBe(types.l4);
}

async function takesRegion(variant: VariantFacts, field: string): Promise<void> {
  await requires(variant, field);
  await refuses(variant, field, [...noText, "nowhere", "", "ANY"]);
  expect(at((await launch(variant, { [field]: "any" })).shown, "region", "name")).toMatch(/^(north|south)$/);
  expect(at((await launch(variant, { [field]: regions.south })).shown, "region", "name")).toBe("south");
}

async function takesKeys(variant: VariantFacts, field: string): Promise<void> {
  await refuses(variant, field, [...noTexts, ["nobody's"], ["laptop", "nobody's"]]);
  expect(at((await launch(variant, { [field]: [] })).shown, "ssh_key_names")).toEqual([]);
  const { shown } = await launch(variant, { [field]: ["laptop", "desk", "laptop"] });
  expect(at(shown, "ssh_key_names")).toEqual(["laptop", "desk"]);
}

async function takesQuantity(variant: VariantFacts): Promise<void> {
  await refuses(variant, "quantity", [0, -1, 1.5, 1e9, 65, "1", null, true, [1]]);
  expect((await launch(variant, { quantity: 2 })).ids).toHaveLength(2);
}

async function takesName(variant: VariantFacts, field: string): Promise<void> {
  await refuses(variant, field, [...noText, "", "x".repeat(65), "two\nlines"]);
  const odd = "Größe 7 \u{1f600} <b>";
  expect(at((await launch(variant, { [field]: odd })).shown, "name")).toBe(odd);
  const { ids, shown } = await launch(variant);
  expect(at(shown, "name")).toBe(`${types.cpu}-${ids[0]?.slice(-8)}`);
}

async function takesFileSystems(variant: VariantFacts): Promise<void> {
  const name = scene.fresh("fs");
  await scene.control("POST", "/file-systems", { name, region: regions.south, size_gb: 5 }, { token: ada.token });
  await refuses(variant, "file_system_names", [...noTexts, ["nobody's"]]);
  expect(at((await launch(variant, { file_system_names: [] })).shown, "file_system_names")).toEqual([]);
  const { shown } = await launch(variant, { file_system_names: [name] });
  expect(shown).toMatchObject({ file_system_names: [name], region: { name: "south" } });
}

claim("spec/launch-m", {
  instance_type_name: () => takesType(marketplace, "instance_type_name"),
  region_name: () => takesRegion(marketplace, "region_name"),
  ssh_key_names: async () => {
    await requires(marketplace, "ssh_key_names");
    await takesKeys(marketplace, "ssh_key_names");
  },
  quantity: async () => {
    await requires(marketplace, "quantity");
    await takesQuantity(marketplace);
  },
  file_system_names: () => takesFileSystems(marketplace),
  name: () => takesName(marketplace, "name"),
  os_image_name: async () => {
    await refuses(marketplace, "os_image_name", [...noText, "none", ""]);
    const { inD } = await launch(marketplace, { os_image_name: images.second });
    expect(at(inD, "image", "name")).toBe(images.second);
  },
  env_vars: async () => {
    await refuses(marketplace, "env_vars", ["A=1", null, 5, [], ["A"], { A: 1 }, { A: null }, { A: ["x"] }]);
    const vars = { TOKEN: "s3cr3t", _empty: "", line: "two\nlines 'quoted'" };
    const { ids } = await launch(marketplace, { env_vars: vars });
    const id = ids[0] ?? "";
    const query = scene.db.selectFrom("instances").select("env_vars_sealed").where("id", "=", id);
    const { env_vars_sealed: sealed } = await query.executeTakeFirstOrThrow();
    expect(sealed).not.toContain("s3cr3t");
    expect(JSON.parse(scene.server.service.keyRing.openText(sealed ?? "", envVarsContext(id)))).toEqual(vars);
    await scene.reached(id, "active");
    const { rows } = await sql<{ env_names: string[] }>`
      select env_names from simulated.machines where id = ${id}`.execute(scene.db);
    expect(rows[0]?.env_names.toSorted()).toEqual(Object.keys(vars).toSorted());
  },
});

claim("spec/launch-d", {
  productName: () => takesType(direct, "productName"),
  regionName: () => takesRegion(direct, "regionName"),
  imageId: async () => {
    await refuses(direct, "imageId", ["1", null, 1.5, -1, 1e12, [1], 999]);
    expect(at((await launch(direct, { imageId: 2 })).inD, "image")).toMatchObject({ id: 2, name: images.second });
  },
  instanceName: () => takesName(direct, "instanceName"),
  coupon: async () => {
    await refuses(direct, "coupon", [...noText, "NONE", ""]);
    const { inD } = await launch(direct, { coupon: coupons.ten });
    expect(at(inD, "product")).toMatchObject({ price_hr: "0.120000", final_price_hr: "0.108000" });
  },
  command: async () => {
    await refuses(direct, "command", [...noText, "x".repeat(65_537)]);
    expect(at((await launch(direct, { command: "echo 'ran'\n" })).inD, "command_startup")).toBe("echo 'ran'\n");
  },
  sshKeys: () => takesKeys(direct, "sshKeys"),
});

claim("spec/launch-r", {
  region_name: () => takesRegion(reference, "region_name"),
  instance_type_name: () => takesType(reference, "instance_type_name"),
  ssh_key_names: () => takesKeys(reference, "ssh_key_names"),
  file_system_names: () => takesFileSystems(reference),
  quantity: async () => {
    await takesQuantity(reference);
    expect((await launch(reference)).ids).toHaveLength(1);
  },
  name: () => takesName(reference, "name"),
});

/** The fields an env_vars body is refused for; undefined: it is launched. */
async function envRefusal(vars: Record<string, string>): Promise<string[] | undefined> {
  const answer = await post(marketplace, { ...whole.get(marketplace), env_vars: vars });
  if (answer.status === 200) {
    await scene.clear(ada);
    return undefined;
  }
  expect(answer.status).toBe(400);
  for (const value of Object.values(vars)) if (value.length > 8) expect(answer.text).not.toContain(value.slice(0, 9));
  return fieldsOf(answer);
}

const named = (key: string) => [`env_vars.${key}`];

claim("spec/limits", {
  "key-pattern": async () => {
    for (const key of ["A", "_", "a_1", "x".repeat(64)]) expect(await envRefusal({ [key]: "v" }), key).toBeUndefined();
    for (const key of ["1A", "A-B", "A B", "é", "A.B", "A="])
      expect(await envRefusal({ [key]: "v" })).toEqual(named(key));
    expect(await envRefusal({ "": "v" })).toEqual(named(""));
    expect(await envRefusal({ ["x".repeat(65)]: "v" })).toHaveLength(1);
  },
  "reserved-keys": async () => {
    const reserved = "PATH, HOME, USER, SHELL, PWD, OLDPWD, IFS, PS1, PS2, TERM, LANG, LC_ALL".split(", ");
    for (const key of reserved) expect(await envRefusal({ [key]: "v" })).toEqual(named(key));
    expect(await envRefusal({ ...Object.fromEntries(reserved.map((key) => [key, "v"])), MINE: "v" })).toHaveLength(12);
    expect(await envRefusal({ path: "v", PATHS: "v", LC_TIME: "v" })).toBeUndefined();
  },
  "reserved-prefixes": async () => {
    for (const key of ["LD_PRELOAD", "LD_", "MC_X", "MC_"])
      expect(await envRefusal({ [key]: "v" })).toEqual(named(key));
    expect(await envRefusal({ LD: "v", MCX: "v", XLD_: "v" })).toBeUndefined();
  },
  entries: async () => {
    const vars = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`K${index}`, "v"]));
    expect(await envRefusal(vars(64))).toBeUndefined();
    expect(await envRefusal(vars(65))).toEqual(["env_vars"]);
  },
  "value-size": async () => {
    expect(await envRefusal({ A: "x".repeat(4096) })).toBeUndefined();
    expect(await envRefusal({ A: "x".repeat(4097) })).toEqual(named("A"));
    expect(await envRefusal({ A: "é".repeat(2048) })).toBeUndefined();
    expect(await envRefusal({ A: "é".repeat(2049) })).toEqual(named("A"));
  },
  "total-size": async () => {
    const vars = (last: number) => ({
      A: "x".repeat(4095),
      B: "x".repeat(4095),
      C: "x".repeat(4095),
      D: "x".repeat(last),
    });
    expect(await envRefusal(vars(4095))).toBeUndefined();
    expect(await envRefusal(vars(4096))).toEqual(["env_vars"]);
  },
  values: async () => {
    const answer = await scene.client.ask("marketplace", "POST", marketplace.launch.path, {
      token: ada.token,
      body: JSON.stringify({ ...whole.get(marketplace), env_vars: { A: "a\0b" } }),
    });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, named("A")]);
  },
});
