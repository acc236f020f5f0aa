// Settings files of OpenStack's services, as objects, and what several of them have in common.

import { type Layout, ports, urlOf } from "../layout.ts";

export type Sections = Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>;

export function ini(sections: Sections): string {
  const lines = Object.entries(sections).flatMap(([name, values]) => [
    `[${name}]`,
    ...Object.entries(values).map(([key, value]) => `${key} = ${value}`),
  ]);
  return `${lines.join("\n")}\n`;
}

/** Of the administrator. The lab is reached from this machine only. */
export const adminPassword = "lab-admin";

/** `database`: its name. */
export function connection(database: string): string {
  return `mysql+pymysql://root@127.0.0.1:${ports.database}/${database}?charset=utf8`;
}

/** The section of a database. Few connections, because all services are on one small machine. */
export function databaseOf(database: string) {
  return { connection: connection(database), max_pool_size: 5, connection_recycle_time: 3600 };
}

/** How a service signs in, for calls of its own. */
export function signIn(layout: Layout) {
  return {
    auth_url: `${urlOf(layout, "identity")}/v3`,
    auth_type: "password",
    username: "admin",
    password: adminPassword,
    project_name: "admin",
    user_domain_name: "Default",
    project_domain_name: "Default",
    region_name: "RegionOne",
  };
}

/** How a service validates the tokens that it is shown. */
export function tokens(layout: Layout) {
  return {
    keystone_authtoken: {
      www_authenticate_uri: urlOf(layout, "identity"),
      ...signIn(layout),
      service_token_roles_required: false,
    },
  };
}
