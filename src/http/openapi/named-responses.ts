// Names the errors that many operations share in the published document: each is once under components/responses, and
// operations refer to it. The document is a third as long, and generators create one type for it.
// Invariant: a name is derived from the kinds of error in the response's examples, so two documents agree on it.
// Used by docs-page.ts, after named-schemas.ts.

interface Response {
  readonly content?: { readonly "application/json"?: { readonly examples?: object } };
}
interface Operation {
  readonly responses?: Readonly<Record<string, Response>>;
}
interface Document {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: object;
}

/** The document with its shared errors named. Throws "BUG: …" if one name stands for two responses. */
export function nameResponses<T extends object>(document: T): T {
  const { paths = {}, components }: Document = document;
  const all = operationsOf(paths).flatMap(({ responses = {} }) => Object.entries(responses));
  const uses = Map.groupBy(all, ([status, response]) => keyOf(status, response));
  const named = new Map<string, Response>();

  const place = ([status, response]: [string, Response]) => {
    const key = keyOf(status, response);
    const name = nameOf(status, response);
    if (name === undefined || (uses.get(key)?.length ?? 0) < 2) return [status, response] as const;
    const known = named.get(name);
    if (known !== undefined && keyOf(status, known) !== key) throw new Error(`BUG: two responses are called ${name}`);
    named.set(name, response);
    return [status, { $ref: `#/components/responses/${name}` }] as const;
  };

  const renamed = mapValues(paths, (methods) =>
    mapValues(methods, (operation) => ({
      ...operation,
      responses: Object.fromEntries(Object.entries(operation.responses ?? {}).map(place)),
    })),
  );
  const responses = Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { ...document, paths: renamed, components: { ...components, responses } };
}

function operationsOf(paths: NonNullable<Document["paths"]>): Operation[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods));
}

function keyOf(status: string, response: Response): string {
  return `${status} ${JSON.stringify(response)}`;
}

/** Such as `UnknownObject`, or `AccountInactiveOrForbidden`; none for a success. */
function nameOf(status: string, { content }: Response): string | undefined {
  if (Number(status) < 400) return undefined;
  const kinds = Object.keys(content?.["application/json"]?.examples ?? {});
  return kinds.length === 0 ? undefined : kinds.map(pascal).join("Or");
}

function pascal(kind: string): string {
  return kind.replaceAll(/(^|-)([a-z])/g, (_, _dash, letter: string) => letter.toUpperCase());
}

function mapValues<V, W>(record: Readonly<Record<string, V>>, change: (value: V) => W): Record<string, W> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
