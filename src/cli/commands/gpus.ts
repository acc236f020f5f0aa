// `lessor gpus`, for operators: GPUs and why they are where they are, quarantine, and what happens between two tenants.

import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { gpuStates, gpuTraits, type Handover, handovers, warningMeanings } from "../../rules/gpu-lifecycle.ts";
import { type PartitionState, partitionStates } from "../../rules/gpu-partitions.ts";
import { inAbout } from "../../rules/gpu-return.ts";
import { confirm } from "../ask.ts";
import { usageError } from "../command-error.ts";
import { refuseEmptyReason } from "../declare-lost.ts";
import type { Colour } from "../output/screen.ts";
import { type Column, printTable } from "../output/table.ts";
import { wholeNumber } from "../output/units.ts";
import { canAsk, examples, printJson, type Shell, withJson } from "../shell.ts";
import { shellWord } from "../shell-word.ts";

type Gpu = Shape<"ListedGpu">;

export function define(command: Command, shell: Shell): void {
  const list = withJson(command.command("list").alias("ls").description("list GPUs with their state"))
    .option("--state <state>", `only those in this state: ${gpuStates.join(", ")}`)
    .option("--host <host>", "only those of this host")
    .option("--model <model>", "only those of this model")
    .option("--quarantined", "only those that are quarantined, or are when their instance has ended")
    .action(async ({ state, json, ...filter }: Listed) => {
      const query = { ...filter, ...(state !== undefined && { state: namedIn(gpuStates, state) }) };
      const { data } = await shell.client().ask((api) => api.GET("/gpus", { params: { query } }));
      if (json) return printJson(shell, data);
      printTable(shell.out, data, columns, "No GPUs.");
    });
  examples(list, {
    "lessor gpus list --quarantined": "what needs attention, why, and who decided it",
    "lessor gpus list --state sanitizing": "what is being reset, and about when it is back",
  });

  const quarantine = onGpu(command.command("quarantine").description("let no instance get a GPU"))
    .requiredOption("--reason <reason>", "the reason, for other operators")
    .action(async (host: string, address: string, { reason, json }: { reason: string; json: boolean }) => {
      refuseEmptyReason(reason);
      const request = { params: { path: { name: host, address } }, body: { reason } };
      const path = "/hosts/{name}/gpus/{address}/quarantine";
      show(shell, (await shell.client().ask((api) => api.POST(path, request))).data, json);
    });
  examples(quarantine, { "lessor gpus quarantine us-east-1-a10-01 0000:10:00.0 --reason 'XID 79'": "after a fault" });

  const retest = onGpu(
    command.command("retest").description("reset a quarantined GPU, and offer it if verified"),
  ).action(async (host: string, address: string, { json }: { json: boolean }) => {
    const request = { params: { path: { name: host, address } } };
    show(
      shell,
      (await shell.client().ask((api) => api.POST("/hosts/{name}/gpus/{address}/retest", request))).data,
      json,
    );
  });
  examples(retest, { "lessor gpus retest us-east-1-a10-01 0000:10:00.0": "after a repair" });

  const validate = onGpu(
    command.command("validate").description("check a free or quarantined GPU in a machine of the service"),
  ).action(async (host: string, address: string, { json }: { json: boolean }) => {
    const request = { params: { path: { name: host, address } } };
    show(
      shell,
      (await shell.client().ask((api) => api.POST("/hosts/{name}/gpus/{address}/validate", request))).data,
      json,
    );
  });
  examples(validate, {
    "lessor gpus validate us-east-1-a10-01 0000:10:00.0": "on demand; a quarantined one is reset first",
  });

  const release = onGpu(command.command("release").description("offer a quarantined GPU again as it is"))
    .option("--confirmation <confirmation>", "confirm what an earlier call has shown")
    .action((host: string, address: string, options: Released) => releaseGpu(shell, host, address, options));
  examples(release, { "lessor gpus release us-east-1-a10-01 0000:10:00.0": "show why it is quarantined, and ask" });

  const partitions = withJson(command.command("partitions").description("list NVSwitch partitions with their state"))
    .option("--state <state>", `only those in this state: ${partitionStates.join(", ")}`)
    .option("--host <host>", "only those of this host")
    .action(async ({ state, json, ...filter }: Listed) => {
      const query = { ...filter, ...(state !== undefined && { state: namedIn(partitionStates, state) }) };
      const { data } = await shell.client().ask((api) => api.GET("/gpu-partitions", { params: { query } }));
      if (json) return printJson(shell, data);
      printTable(shell.out, data, partitionColumns, "No NVSwitch partitions.");
    });
  examples(partitions, { "lessor gpus partitions --host us-east-1-h100-sxm5-01": "of one board" });

  const policy = withJson(command.command("policy").description("show or set what happens to GPUs between two tenants"))
    .argument("[model]", "set the policy of this GPU model")
    .argument("[handover]", `${handovers.join(", ")}; "default" removes the policy`)
    .option("--region <region>", "only in this region")
    .option("--image <image>", "the image that validates the GPUs")
    .option("--every <handovers>", "validate at each so many handovers; default: 1", wholeNumber("--every", 1))
    .option("--deadline <seconds>", "until the verdict of a validation; default: 600", wholeNumber("--deadline", 30))
    .option("--attempts <times>", "how often one without a verdict is tried; default: 3", wholeNumber("--attempts", 1))
    .option("--warning <meaning>", "what a warning means: pass or quarantine; default: pass")
    .option("--burn-in <hours>", "validate new GPUs for so long before their first rental", wholeNumber("--burn-in"))
    .action((model: string | undefined, handover: string | undefined, options: PolicyOptions) =>
      changePolicy(shell, model, handover, options),
    );
  examples(policy, {
    "lessor gpus policy": "list the policies",
    "lessor gpus policy h100_sxm5 reset": "reset each GPU of the model before another instance gets it",
    "lessor gpus policy h100_sxm5 reset+validate --image gpu-validation --burn-in 24": "and validate it",
  });
}

interface Listed {
  readonly state?: string;
  readonly host?: string;
  readonly model?: string;
  readonly quarantined?: true;
  readonly json: boolean;
}

interface Released {
  readonly confirmation?: string;
  readonly json: boolean;
}

interface PolicyOptions {
  readonly region?: string;
  readonly image?: string;
  readonly every?: number;
  readonly deadline?: number;
  readonly attempts?: number;
  readonly warning?: string;
  readonly burnIn?: number;
  readonly json: boolean;
}

function onGpu(command: Command): Command {
  return withJson(command)
    .argument("<host>", "the name of its host")
    .argument("<address>", "its address on the host, as `lessor gpus list` shows it");
}

/** Throws CommandError. */
async function releaseGpu(shell: Shell, host: string, address: string, options: Released): Promise<void> {
  const { confirmation, json } = options;
  const ask = async (confirmed?: string) => {
    const body = confirmed === undefined ? {} : { confirmation: confirmed };
    const request = { params: { path: { name: host, address } }, body };
    return (await shell.client().ask((api) => api.POST("/hosts/{name}/gpus/{address}/release", request))).data;
  };
  const release = await ask(confirmation);
  if (json) return printJson(shell, release);
  if (release.released) return show(shell, release.gpu, false);
  printTable(shell.out, [release.gpu], columns, "");
  if (!canAsk(shell)) {
    const again = `lessor gpus release ${shellWord(host)} ${shellWord(address)} --confirmation ${release.confirmation}`;
    shell.out.line(`Nothing was changed. To confirm: ${again}`);
    return;
  }
  const what =
    release.gpu.quarantine_next !== null
      ? "It is not quarantined when its instance ends."
      : release.reset_before
        ? "It is reset first, as its policy says: it was not since its last instance."
        : "The next instance gets this GPU as it is.";
  await confirm(shell, { what, yes: false });
  show(shell, (await ask(release.confirmation)).gpu, false);
}

/** Throws CommandError. */
async function changePolicy(
  shell: Shell,
  model: string | undefined,
  word: string | undefined,
  options: PolicyOptions,
): Promise<void> {
  const { region, json } = options;
  const client = shell.client();
  if (model !== undefined && word === undefined)
    throw usageError("Which policy?", `Give one of ${policyWords.join(", ")}.`);
  if (model !== undefined && word === "default") {
    const request = { params: { path: { model }, query: region === undefined ? {} : { region } } };
    await client.ask((api) => api.DELETE("/gpu-policies/{model}", request));
  } else if (model !== undefined && word !== undefined) {
    const validation = validationOf(options);
    const body = {
      handover: handoverNamed(word),
      ...(region !== undefined && { region }),
      ...(validation !== undefined && { validation }),
    };
    await client.ask((api) => api.PUT("/gpu-policies/{model}", { params: { path: { model } }, body }));
  }
  const { data } = await client.ask((api) => api.GET("/gpu-policies"));
  if (json) return printJson(shell, data);
  printTable(shell.out, data, policyColumns, "No policies: GPUs are offered again as the hypervisor leaves them.");
}

/** Throws CommandError. */
function validationOf({ image, every, deadline, attempts, warning, burnIn }: PolicyOptions) {
  const isAsked = [every, deadline, attempts, warning, burnIn].some((one) => one !== undefined);
  if (image === undefined) {
    if (!isAsked) return undefined;
    throw usageError("Which image validates the GPUs?", "Give it: --image IMAGE.");
  }
  const meaning = warningMeanings.find((known) => known === warning);
  if (warning !== undefined && meaning === undefined)
    throw usageError(`A warning cannot mean "${warning}".`, `Use one of ${warningMeanings.join(", ")}.`);
  return {
    image,
    ...(every !== undefined && { every }),
    ...(deadline !== undefined && { deadline_seconds: deadline }),
    ...(attempts !== undefined && { attempts }),
    ...(meaning !== undefined && { warning: meaning }),
    ...(burnIn !== undefined && { burn_in_hours: burnIn }),
  };
}

const policyWords = [...handovers, "default"];

function handoverNamed(word: string): Handover {
  const handover = handovers.find((known) => known === word);
  if (handover === undefined)
    throw usageError(`There is no policy "${word}".`, `Use one of ${policyWords.join(", ")}.`);
  return handover;
}

/** Throws CommandError. */
function namedIn<State extends string>(states: readonly State[], word: string): State {
  const state = states.find((known) => known === word);
  if (state === undefined) throw usageError(`There is no state "${word}".`, `Use one of ${states.join(", ")}.`);
  return state;
}

function show(shell: Shell, gpu: Gpu, json: boolean): void {
  if (json) printJson(shell, gpu);
  else printTable(shell.out, [gpu], columns, "");
}

function colour({ state, healthy }: Gpu): Colour {
  const known = gpuStates.find((one) => one === state);
  if (known === undefined || !healthy) return "red";
  if (gpuTraits[known].isOffered) return "green";
  return gpuTraits[known].isHeld ? "dim" : "yellow";
}

const columns: readonly Column<Gpu>[] = [
  { title: "HOST", of: ({ host }) => host, colour: () => "bold" },
  { title: "GPU", of: ({ address }) => address },
  { title: "MODEL", of: ({ model }) => model, spare: 2 },
  { title: "STATE", of: ({ state, healthy }) => (healthy ? state : `${state}, unhealthy`), colour },
  { title: "BACK", of: ({ back_at: at }) => inAbout(at, Date.now()), spare: 2 },
  { title: "REASON", of: ({ reason, quarantine_next: next }) => reason ?? (next === null ? null : `later: ${next}`) },
  { title: "BY", of: ({ quarantined_by: by }) => by, spare: 3 },
  // The first line says what was found; the others are the end of a console.
  { title: "EVIDENCE", of: ({ evidence }) => evidence?.split("\n")[0] ?? null, spare: 3 },
  { title: "VALIDATED", of: ({ last_validation: last }) => last && `${last.verdict} ${last.at}`, spare: 4 },
  { title: "SINCE", of: ({ state_since: since }) => since, spare: 4 },
  { title: "INSTANCE", of: ({ held_by: instance }) => instance, spare: 5 },
];

const partitionColumns: readonly Column<Shape<"GpuPartition">>[] = [
  { title: "HOST", of: ({ host }) => host, colour: () => "bold" },
  { title: "PARTITION", of: ({ id }) => id },
  { title: "STATE", of: ({ state }) => state, colour: ({ state }) => partitionColours[state] },
  { title: "GPUS", of: ({ gpus }) => gpus.join(" ") },
  { title: "FAILED", of: ({ failures }) => (failures === 0 ? null : `${failures} times`), spare: 1 },
  { title: "FABRIC MANAGER", of: ({ fabric_manager: version }) => version, spare: 3 },
  { title: "INSTANCE", of: ({ held_by: instance }) => instance, spare: 2 },
];

const partitionColours: Readonly<Record<PartitionState, Colour>> = {
  inactive: "dim",
  activating: "yellow",
  active: "green",
  deactivating: "yellow",
};

const policyColumns: readonly Column<Shape<"GpuPolicy">>[] = [
  { title: "MODEL", of: ({ gpu_model: model }) => model, colour: () => "bold" },
  { title: "REGION", of: ({ region }) => region ?? "every" },
  { title: "HANDOVER", of: ({ handover }) => handover },
  { title: "IMAGE", of: ({ validation }) => validation?.image ?? null },
  { title: "EVERY", of: ({ validation }) => validation && String(validation.every), spare: 1 },
  { title: "DEADLINE", of: ({ validation }) => validation && `${validation.deadline_seconds} s`, spare: 2 },
  { title: "WARNING", of: ({ validation }) => validation?.warning ?? null, spare: 1 },
  { title: "BURN-IN", of: ({ validation }) => validation && `${validation.burn_in_hours} h`, spare: 1 },
];
