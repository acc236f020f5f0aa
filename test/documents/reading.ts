// Reading an OpenAPI document: its operations, and every schema in it with the place where it stands.

export interface Node {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node | boolean;
  readonly propertyNames?: Node;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
}

interface Body {
  readonly content?: { readonly "application/json"?: { readonly schema: Node } };
}

export interface PublishedOperation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Node }[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
}

export interface Published {
  readonly paths: Readonly<Record<string, Readonly<Record<string, PublishedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Node>> };
}

export function operationsOf({ paths }: Published): PublishedOperation[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods));
}

export interface Placed {
  readonly path: string;
  readonly node: Node;
  /** Whether it is one of components/schemas itself. */
  readonly isNamed: boolean;
}

/** Values, which may look like schemas and are none. */
const literals = new Set(["example", "examples", "default", "enum", "const"]);

/** Everything in the document that may be a schema. */
export function nodesOf({ paths, components }: Published): Placed[] {
  const found: Placed[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    found.push({ path, node: value, isNamed: /^components\/schemas\/[^/]+$/.test(path) });
    for (const [key, inner] of Object.entries(value)) if (!literals.has(key)) visit(inner, `${path}/${key}`);
  };
  visit(paths, "paths");
  visit(components, "components");
  return found.filter(({ node }) => !Array.isArray(node));
}

/** What a schema allows, without the words about it. */
export function shapeOf(node: Node): string {
  const bare = (value: unknown, inFields: boolean): unknown => {
    if (Array.isArray(value)) return value.map((one) => bare(one, false));
    if (typeof value !== "object" || value === null) return value;
    const kept = Object.entries(value).filter(([key]) => inFields || !words.has(key));
    return Object.fromEntries(kept.map(([key, inner]) => [key, bare(inner, key === "properties")]));
  };
  return JSON.stringify(bare(node, false));
}

const words = new Set(["description", "examples", "title"]);
