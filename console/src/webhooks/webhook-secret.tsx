// A webhook's new secret, shown once.

import { SecretOnce } from "../shared/secret-once.tsx";

export function WebhookSecret({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  return (
    <SecretOnce title="The webhook's secret" secret={secret} label="secret" onClose={onClose}>
      <p>Use it in your program to verify events with any Standard Webhooks library.</p>
    </SecretOnce>
  );
}
