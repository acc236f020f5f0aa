// The lab's clouds.yaml, as an operator would have one. Its entries: "admin", by password; "tenant", an application
// credential of a project's member, who sees no hosts; "tenant-password", the same member by password.

import { writeFileSync } from "node:fs";
import { adminPassword } from "./configuration/ini.ts";
import { type Layout, urlOf } from "./layout.ts";
import type { Tenant } from "./seed.ts";

export const cloudNames = ["admin", "tenant", "tenant-password"] as const;

export function writeClouds(layout: Layout, tenant: Tenant): void {
  const auth_url = `${urlOf(layout, "identity")}/v3`;
  const domains = { user_domain_name: "Default", project_domain_name: "Default" };
  const clouds = {
    admin: {
      region_name: "RegionOne",
      auth: { auth_url, username: "admin", password: adminPassword, project_name: "admin", ...domains },
    },
    tenant: {
      region_name: "RegionOne",
      auth_type: "v3applicationcredential",
      auth: {
        auth_url,
        application_credential_id: tenant.credentialId,
        application_credential_secret: tenant.credentialSecret,
      },
    },
    "tenant-password": {
      region_name: "RegionOne",
      auth: { auth_url, user_id: tenant.userId, password: tenant.password, project_id: tenant.projectId },
    },
  };
  // JSON is YAML.
  writeFileSync(layout.cloudsFile, `${JSON.stringify({ clouds }, undefined, 2)}\n`, { mode: 0o600 });
}
