// Who may ask the fake: projects, users, application credentials and the tokens that were issued.

import { randomBytes } from "node:crypto";

export interface FakeProject {
  readonly id: string;
  readonly name: string;
}

export interface FakeUser {
  readonly id: string;
  readonly name: string;
  password: string;
  /** By the id of the project. */
  readonly roles: Map<string, string[]>;
}

export interface FakeCredential {
  readonly id: string;
  readonly name: string;
  secret: string;
  readonly user: FakeUser;
  readonly project: FakeProject;
  readonly roles: readonly string[];
}

export interface FakeToken {
  readonly id: string;
  readonly method: "password" | "application_credential";
  readonly user: FakeUser;
  readonly project: FakeProject;
  readonly roles: readonly string[];
  readonly issued: Date;
  expires: Date;
  revoked: boolean;
}

/** As Keystone names projects and users. */
export function bareId(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

export class FakeIdentity {
  readonly projects = new Map<string, FakeProject>();
  readonly users = new Map<string, FakeUser>();
  readonly credentials = new Map<string, FakeCredential>();
  readonly tokens = new Map<string, FakeToken>();
  /** How long a new token holds. */
  tokenSeconds = 3600;
  /** How far the clocks of all services are ahead of ours; negative: behind. */
  clockAheadMs = 0;

  /** By the clock of the services. */
  now(): Date {
    return new Date(Date.now() + this.clockAheadMs);
  }

  addProject(name: string): FakeProject {
    const project = { id: bareId(), name };
    this.projects.set(project.id, project);
    return project;
  }

  addUser(name: string, password: string, roles: readonly (readonly [FakeProject, readonly string[]])[]): FakeUser {
    const of = new Map(roles.map(([{ id }, names]): [string, string[]] => [id, [...names]]));
    const user = { id: bareId(), name, password, roles: of };
    this.users.set(user.id, user);
    return user;
  }

  addCredential(user: FakeUser, project: FakeProject, name: string, roles?: readonly string[]): FakeCredential {
    const has = user.roles.get(project.id) ?? [];
    const credential = { id: bareId(), name, secret: newSecret(), user, project, roles: roles ?? has };
    this.credentials.set(credential.id, credential);
    return credential;
  }

  issue(from: Pick<FakeToken, "method" | "user" | "project" | "roles">): FakeToken {
    const issued = this.now();
    const expires = new Date(issued.getTime() + this.tokenSeconds * 1000);
    const token = { ...from, id: `gAAAAA${newSecret()}`, issued, expires, revoked: false };
    this.tokens.set(token.id, token);
    return token;
  }

  /** The token if it holds. */
  find(id: unknown): FakeToken | undefined {
    const token = typeof id === "string" ? this.tokens.get(id) : undefined;
    if (token === undefined || token.revoked || token.expires.getTime() <= this.now().getTime()) return undefined;
    return token;
  }

  /** Every token that was issued ends now, before it was to. */
  revokeTokens(): void {
    for (const token of this.tokens.values()) token.revoked = true;
  }
}

export function isAdmin({ roles }: Pick<FakeToken, "roles">): boolean {
  return roles.includes("admin");
}

function newSecret(): string {
  return randomBytes(48).toString("base64url");
}
