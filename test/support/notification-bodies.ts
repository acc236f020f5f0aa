// Notifications as Nova (Zed) sends them, with the fields that a test changes. Taken from a real one.

export interface NotificationFacts {
  readonly name: string;
  readonly project: string;
  readonly event?: string;
  readonly state?: string | null;
  /** Of the server: it is in every notification. */
  readonly metadata?: Readonly<Record<string, string>>;
}

const context = {
  _unique_id: "386ef8ce409441d3a2490d32c1d4690b",
  _context_user_name: "admin",
  _context_is_admin: true,
  _context_auth_token: null,
  _context_request_id: "req-18f2369c-858a-4d9c-b668-655de7682fda",
};

/** Without an envelope. */
export function versioned(facts: NotificationFacts) {
  const { name, project, event = "instance.power_off.end", state = "stopped", metadata = {} } = facts;
  const object = (kind: string, data: object) => ({
    "nova_object.name": kind,
    "nova_object.namespace": "nova",
    "nova_object.version": "1.8",
    "nova_object.data": data,
  });
  return {
    message_id: "3a51c2fd-fb65-4064-a14f-5d75d3ac798c",
    publisher_id: "nova-compute:gpu1",
    event_type: event,
    priority: "INFO",
    payload: object("InstanceActionPayload", {
      fault: null,
      request_id: "req-18f2369c-858a-4d9c-b668-655de7682fda",
      uuid: "d14fb78b-56e0-4962-8cca-a8c9745699be",
      tenant_id: project,
      display_name: name,
      display_description: null,
      host_name: name,
      host: "gpu1",
      availability_zone: "gpu-az",
      flavor: object("FlavorPayload", { name: "gpu.h200.1", memory_mb: 131_072, vcpus: 16, extra_specs: {} }),
      launched_at: "2026-11-29T17:00:14Z",
      state,
      power_state: "pending",
      task_state: null,
      ip_addresses: [],
      metadata,
      locked: false,
    }),
    timestamp: "2026-11-29 17:00:24.652928",
    ...context,
  };
}

/** Without an envelope: what `notification_format = unversioned` sends to the topic `notifications`. */
export function unversioned(facts: NotificationFacts) {
  const { name, project, event = "compute.instance.power_off.end", state = "stopped", metadata = {} } = facts;
  return {
    message_id: "5b6c6f0e-4a3c-47b5-b6a5-6a43f7e2d70c",
    publisher_id: "compute.gpu1",
    event_type: event,
    priority: "INFO",
    payload: {
      tenant_id: project,
      instance_id: "d14fb78b-56e0-4962-8cca-a8c9745699be",
      display_name: name,
      hostname: name,
      host: "gpu1",
      state,
      state_description: "",
      metadata,
    },
    timestamp: "2026-11-29 17:00:24.652928",
    ...context,
  };
}

/** In the envelope of oslo.messaging, as its driver `messagingv2` sends it. */
export function enveloped(message: object): Buffer {
  return Buffer.from(JSON.stringify({ "oslo.version": "2.0", "oslo.message": JSON.stringify(message) }));
}
