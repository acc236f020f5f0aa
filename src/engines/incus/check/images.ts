// Whether the images of the settings are on the cluster, of the configured kind and for the members' architectures.

import { type Finding, listed, ok, problem, warning } from "../../check/finding.ts";
import type { IncusImageSource } from "../settings/image.ts";
import { AliasAnswer, AliasesAnswer, ArchitectureAnswer, ImageAnswer } from "./answers.ts";
import { lookUp, type Subject } from "./subject.ts";

export async function* checkImages(subject: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const sources = Object.entries(subject.cluster.settings.images);
  for (const [name, source] of sources) yield* checkImage(subject, name, source, signal);
  // An image that the settings do not list is an alias on the cluster.
  const aliases = await fittingAliases(subject, signal);
  const { name, kind } = subject.cluster.settings;
  if (aliases.length > 0) {
    yield ok("images", `aliases on the cluster that the catalog can use: ${listed(aliases)}`);
  } else if (sources.length === 0) {
    yield problem(
      "images",
      `there is no ${kind} image on the cluster, and images lists none`,
      importing(name, "<alias>"),
    );
  }
}

/** The aliases of images of the configured kind. */
export async function fittingAliases({ cluster }: Subject, signal: AbortSignal): Promise<string[]> {
  const { client, settings } = cluster;
  const aliases = await client.read("/1.0/images/aliases", AliasesAnswer, signal, { recursion: "1" });
  return aliases.filter(({ type }) => type === undefined || type === settings.kind).map((alias) => alias.name);
}

async function* checkImage(
  subject: Subject,
  name: string,
  source: IncusImageSource,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const { cluster } = subject;
  const what = `image ${name}`;
  if (source.kind === "server") {
    return yield ok(what, `${source.alias}, which the cluster downloads from ${source.server} on first use`);
  }
  const fingerprint = source.kind === "alias" ? await targetOf(subject, source.alias, signal) : source.fingerprint;
  if (fingerprint === undefined) {
    const alias = source.kind === "alias" ? source.alias : name;
    const called = alias === name ? "" : ` by the alias ${alias}`;
    return yield problem(what, `not on the cluster${called}`, importing(cluster.settings.name, alias));
  }
  const metadata = await lookUp(cluster, `/1.0/images/${fingerprint}`, signal);
  if (!ImageAnswer.Check(metadata)) {
    return yield problem(
      what,
      `there is no image with the fingerprint ${fingerprint.slice(0, 12)}`,
      `${importing(cluster.settings.name, name)}, or correct its fingerprint in images`,
    );
  }
  yield* checkFit(subject, what, metadata, signal);
}

async function* checkFit(
  subject: Subject,
  what: string,
  {
    fingerprint,
    type,
    architecture,
    size,
  }: { fingerprint: string; type?: string; architecture?: string; size?: number },
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const { kind } = subject.cluster.settings;
  if (type !== undefined && type !== kind) {
    return yield problem(
      what,
      `is a ${type} image, and kind is ${kind}`,
      `import a ${kind} image, or set kind: ${type} (for the whole cluster)`,
    );
  }
  const others = (await architectures(subject, signal)).filter(
    ([, one]) => architecture && one && one !== architecture,
  );
  if (others.length > 0) {
    const names = listed(others.map(([member, one]) => `${member} (${one})`));
    yield warning(
      what,
      `is for ${architecture}, and cannot run on ${names}`,
      "configure members of another architecture as a cluster entry of their own, with images for them",
    );
  }
  const megabytes = size === undefined ? "" : `, ${Math.ceil(size / 1e6)} MB`;
  yield ok(what, `${fingerprint.slice(0, 12)}, ${type ?? kind}, ${architecture ?? "any processor"}${megabytes}`);
}

async function targetOf({ cluster }: Subject, alias: string, signal: AbortSignal): Promise<string | undefined> {
  const found = await lookUp(cluster, `/1.0/images/aliases/${encodeURIComponent(alias)}`, signal);
  return AliasAnswer.Check(found) ? found.target : undefined;
}

async function architectures({ cluster, server }: Subject, signal: AbortSignal) {
  if (!server.environment.server_clustered) return [];
  const members = await cluster.client.read("/1.0/cluster/members", ArchitectureAnswer, signal, { recursion: "1" });
  return members.map(({ server_name, architecture }) => [server_name, architecture] as const);
}

function importing(cluster: string, alias: string): string {
  return `lessor image import <file> --cluster ${cluster} --alias ${alias}`;
}
