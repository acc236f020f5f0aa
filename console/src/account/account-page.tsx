// The own account: who is signed in, its quotas, its spend limit, and where its emails go.

import { Button } from "@mantine/core";
import { Link } from "wouter";
import { useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { Copyable } from "../shared/copyable.tsx";
import { ErrorState } from "../shared/error-state.tsx";
import { type Fact, Facts, Figures } from "../shared/facts.tsx";
import { formatNumber } from "../shared/format-number.ts";
import { span } from "../shared/format-time.ts";
import { Page, PageSkeleton, Section } from "../shared/page.tsx";
import { Time } from "../shared/time.tsx";
import { roleTitle } from "../team/role-words.ts";
import { EmailSettings } from "./email-settings.tsx";
import { quotaNames, quotaTitles } from "./quotas.ts";
import { SpendLimitFigure, SpendLimitWarning } from "./spend-limit.tsx";

export function AccountPage() {
  const { person } = useSession();
  // Not that of the session: a form with former values would undo what was changed since.
  const read = useRead(["account"], (client) => client.GET("/account"));
  if (read.data === undefined && read.error !== null)
    return <ErrorState error={read.error} again={() => void read.refetch()} />;
  if (read.data === undefined) return <PageSkeleton title="Account" />;
  const account = read.data.data;
  const { id, name, created_at: created, max_lifetime_seconds: lifetime, used, quotas } = account;
  const facts: Fact[] = [
    { name: "Account", value: name },
    { name: "Id", value: <Copyable value={id} label="account id" /> },
    {
      name: "You",
      value: person === null ? "A token of the team" : `${person.name}, ${person.email}, ${roleTitle(person.role)}`,
    },
    { name: "Created", value: <Time at={created} /> },
    { name: "Maximum lifetime", value: lifetime === null ? "No limit" : `${span(lifetime)} for an instance` },
  ];
  return (
    <Page
      title="Account"
      description="What your provider has set for you, and the emails that you get."
      actions={
        <>
          <Button component={Link} href="/billing-details" variant="default">
            Billing details
          </Button>
          <Button component={Link} href="/team" variant="default">
            Team
          </Button>
        </>
      }
    >
      <SpendLimitWarning />
      <Facts facts={facts} />
      <Section title="Quotas">
        <Facts
          facts={quotaNames.map((quota) => ({
            name: quotaTitles[quota],
            value: `${formatNumber(used[quota])} of ${formatNumber(quotas[quota])}`,
          }))}
        />
      </Section>
      <Section title="Spend limit">
        <Figures>
          <SpendLimitFigure />
        </Figures>
        <p className="soft">
          At 80 % of it, the event <code>account.spend_limit_near</code> warns, also by webhook. Tokens can have limits
          of their own: see <Link href="/tokens">Tokens</Link>.
        </p>
      </Section>
      <Section title="Emails">
        <EmailSettings account={account} key={id} />
      </Section>
    </Page>
  );
}
