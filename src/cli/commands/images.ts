// `lessor images`: the operating systems that instances are launched with.

import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { type Column, printTable } from "../output/table.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

type Image = Shape<"Image">;

export function define(command: Command, shell: Shell): void {
  withJson(command).action(async ({ json }: { json: boolean }) => {
    const { data } = await shell.client().ask((api) => api.GET("/images", { params: { query: {} } }));
    if (json) return printJson(shell, data);
    printTable(shell.out, data, columns, "No images.");
  });
  examples(command, {
    "lessor images": "names for launch --image",
    "lessor images --json | jq -r '.[] | select(.default).name'": "the default image, for a program",
  });
}

const columns: readonly Column<Image>[] = [
  { title: "IMAGE", of: ({ name }) => name, colour: () => "bold" },
  { title: "DEFAULT", of: (one) => (one.default ? "yes" : null), colour: () => "green", spare: 1 },
  { title: "DESCRIPTION", of: ({ description }) => description, spare: 2 },
  { title: "USER", of: ({ login_user }) => login_user, spare: 3 },
  { title: "CPU", of: ({ architecture }) => architecture, spare: 4 },
  { title: "NOT ON", of: ({ unsupported_gpu_models: models }) => models.join(", "), spare: 5 },
];
