import { describe, expect, it } from "vitest";
import { settingIn, settingName } from "./setting-path.ts";

describe("a setting in a message", () => {
  it.each([
    [["port"], "port"],
    [["limits", "max_quantity"], "limits.max_quantity"],
    [["incus", 0, "urls", 12], "incus[0].urls[12]"],
    [["regions", "gpu-east"], "regions.gpu-east"],
    [["gpu_models", "10de:2331", "model"], "gpu_models['10de:2331'].model"],
    [["images", "ubuntu-22.04"], "images['ubuntu-22.04']"],
    [["images", ""], "images['']"],
    [["images", "a\n\u001b[31m"], "images['a\\n\\u001b[31m']"],
    [["images", "x.".repeat(100)], `images['${"x.".repeat(40)}']`],
  ])("at %j is called %s", (path, name) => {
    expect(settingName(path)).toBe(name);
    expect(settingIn(path, "lessor.yaml")).toBe(`${name} in lessor.yaml`);
  });

  it("that is the whole file is called by the file's name", () => {
    expect(settingIn([], "production.yaml")).toBe("production.yaml");
  });
});
