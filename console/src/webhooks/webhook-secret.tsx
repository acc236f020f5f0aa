// A webhook's new secret, this once.

import { SecretOnce } from "../shared/secret-once.tsx";

export function WebhookSecret({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  return (
    <SecretOnce title="The webhook's secret" secret={secret} label="secret" onClose={onClose}>
      <p>
        Give it to the program that receives: with it any library for Standard Webhooks checks that an event is really
        from here.
      </p>
    </SecretOnce>
  );
}
