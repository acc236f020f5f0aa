// However the program is begun, Node runs it with the same options; and it is measured with them.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { startOptions } from "../../bench/service/service.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const { scripts }: { scripts: Record<string, string> } = JSON.parse(read("package.json"));

/** The options before the program. */
const optionsIn = (command = "") =>
  command.match(/ (--\S+)(?= .*(?:src\/main\.ts|"\$program"))/g)?.map((option) => option.trim());

it.each([
  ["npm start", scripts.start],
  ["npm run lessor", scripts.lessor],
  ["bin/lessor", read("bin/lessor")],
])("%s runs it as it is measured", (_name, command) => {
  expect(optionsIn(command)).toEqual(startOptions);
});
