// The values of JSON columns in schema.ts.

/** An SSH key as it was at launch; deleting the key later leaves the instance as it is. */
export interface AttachedKey {
  name: string;
  public_key: string;
}

/** A customer's tag of an instance. */
export interface StoredTag {
  key: string;
  value: string;
}

/** IdleRule of rules/idle.ts. */
export interface StoredIdleRule {
  minutes: number;
  action: string;
}

/** A file system of an instance; both stay recorded when it is deleted. */
export interface InstanceMount {
  file_system_id: string;
  mount_point: string;
}

/** A rule of rental/firewall/rules.ts. */
export interface StoredRule {
  protocol: "tcp" | "udp" | "icmp" | "all";
  ports: readonly [number, number] | null;
  source: string;
  description: string;
}
