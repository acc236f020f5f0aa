import { expect, it } from "vitest";
import { parseConfigFile } from "../../src/config/file.ts";
import { benchSettings } from "./settings.ts";

it("the service takes the settings it is measured with", () => {
  const settings = parseConfigFile(benchSettings({ main: 18080, reference: 18081 }, "/tmp/x"), "lessor.yaml");
  expect(settings).toMatchObject({ port: 18080, reference_port: 18081, data_dir: "/tmp/x", demo: false });
});
