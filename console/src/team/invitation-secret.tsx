// The secret of an invitation, once, as the link at which it is accepted. The secret is in the part of the address that
// browsers send to no server.

import { SecretOnce } from "../shared/secret-once.tsx";
import { Time } from "../shared/time.tsx";
import type { MadeInvitation } from "./invite-dialog.tsx";
import { joinLink } from "./join-link.ts";
import { roleTitle } from "./role-words.ts";

interface InvitationSecretProps {
  readonly made: MadeInvitation;
  readonly onClose: () => void;
}

export function InvitationSecret({ made, onClose }: InvitationSecretProps) {
  return (
    <SecretOnce
      title={`Invitation of ${made.email}`}
      secret={joinLink(window.location.origin, made.secret)}
      label="link"
      onClose={onClose}
    >
      <p>
        It makes a person of the team, with the role {roleTitle(made.role)}, of anyone who opens it first. It expires{" "}
        <Time at={made.expires_at} />. If email is configured, the person gets the secret by email too.
      </p>
      <p>
        On the command line, <code>lessor invitations accept</code> asks for the part of the link after <code>#</code>.
      </p>
    </SecretOnce>
  );
}
