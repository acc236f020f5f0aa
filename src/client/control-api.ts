// The control API's paths and shapes: made from its OpenAPI document by `npm run client`, never by hand.
// Used by client.ts and by programs that import "lessor/client".

export interface paths {
    "/account": {
        /** Read your account. With its current usage, the scopes of the token of this request, and the person whose it is, with role. */
        get: operations["getOwnAccount"];
        /** Change where emails about your account go. Omitted fields stay unchanged. Emails are sent only if your provider has configured them. */
        patch: operations["changeOwnAccount"];
    };
    "/tokens": {
        /** List your tokens. Oldest first, including expired and revoked tokens. Token secrets are not stored. */
        get: operations["listTokens"];
        /** Create a token. Only with scopes that the token of this request has; other scopes are rejected (403). A token with a spend limit cannot create tokens with the scopes `write` or `operator` (409): they would bypass the limit. Only this response has `token`. */
        post: operations["createToken"];
    };
    "/tokens/{id}": {
        /** Revoke a token. Takes effect immediately, also for the token of this request. A token with scopes that the token of this request does not have is rejected (403). A token with a spend limit cannot revoke a token without one (409). The token stays on the list; revoking it again has no effect. */
        delete: operations["revokeToken"];
        /** Change the spend limit of a token. A token cannot raise its own limit, and a token with a limit cannot raise another's (409). A token with scopes that the token of this request does not have is rejected (403). */
        patch: operations["changeToken"];
    };
    "/members": {
        /** List the people of your team. With their roles, in the order in which the service first knew them. */
        get: operations["listMembers"];
    };
    "/members/{id}": {
        /** Remove a person from the team, or leave it. Revokes the person's tokens of this team at once. Removing yourself needs no right. The last owner stays (409). */
        delete: operations["removeMember"];
        /** Change the role of a person. Takes effect with the next request. Only owners create owners and change them; the last owner stays one (409). */
        patch: operations["changeMember"];
    };
    "/accounts/{id}/members": {
        /** List the people of an account. With their roles. */
        get: operations["listAccountMembers"];
    };
    "/invitations": {
        /** List open invitations. Oldest first. */
        get: operations["listInvitations"];
        /** Invite a person to your team. Replaces an earlier invitation of the address. Only this response has the `secret`; give it to the person, who also gets it by email if your provider has configured that. Only owners invite owners, and no token with a spend limit invites (409). */
        post: operations["createInvitation"];
    };
    "/accounts/{id}/invitations": {
        /** Invite a person to an account. Replaces an earlier invitation of the address. Only this response has the `secret`; give it to the person, who also gets it by email if your provider has configured that. An account gets its first owner so. */
        post: operations["createAccountInvitation"];
    };
    "/invitations/{id}": {
        /** Revoke an invitation. Its secret can no longer be accepted. */
        delete: operations["revokeInvitation"];
    };
    "/invitations/accept": {
        /** Accept an invitation. Needs no token: a new person joins, with the `name`. With your own token or session of another team, you join as the same person. Once; only this response has the `token`, which is for this team. */
        post: operations["acceptInvitation"];
    };
    "/sessions": {
        /** List your sessions. Where you are signed in to the console, newest first. */
        get: operations["listSessions"];
        /** End all your other sessions. With a token: all of them. */
        delete: operations["endOtherSessions"];
    };
    "/sessions/{id}": {
        /** End a session. Takes effect with its next request. */
        delete: operations["endSession"];
    };
    "/teams": {
        /** List your teams. Those that your session can switch to. With a token: the team of the token. */
        get: operations["listTeams"];
    };
    "/sessions/switch": {
        /** Switch to another team. From the next request on, your session acts in this team. Not with a token (409). */
        post: operations["switchTeam"];
    };
    "/ssh-keys": {
        /** List SSH keys. Your SSH keys, oldest first. */
        get: operations["listSshKeys"];
        /** Add or generate an SSH key. Name it at launch. Without `public_key`, a key pair is generated; its private key is shown only here. */
        post: operations["addSshKey"];
    };
    "/ssh-keys/{id}": {
        /** Delete an SSH key. Instances launched with it keep it. */
        delete: operations["deleteSshKey"];
    };
    "/file-systems": {
        /** List file systems. Your file systems, oldest first. */
        get: operations["listFileSystems"];
        /** Create a file system. Persistent: it outlives its instances. Name it at launch to mount it at /mnt/<name>. Where hosts do not share storage, it is on the host of its first instance, and later instances run on that host too. Several instances can attach it at once if its storage allows it (`multi_attach`). */
        post: operations["createFileSystem"];
    };
    "/file-systems/{id}": {
        /** Delete a file system. Deletes it with all data. Rejected while it is attached. It disappears immediately; its data is deleted shortly after. */
        delete: operations["deleteFileSystem"];
    };
    "/firewall-rules": {
        /** List the account's firewall rules. The rules for all of your instances. Rules allow inbound traffic and are combined: an instance accepts traffic that a rule of the account or of one of its rulesets allows, and no other. Until an account sets its own rules, one rule allows all inbound traffic. */
        get: operations["listFirewallRules"];
        /** Replace the account's firewall rules. Replaces all of them, also for existing instances. Rules allow inbound traffic and are combined: an instance accepts traffic that a rule of the account or of one of its rulesets allows, and no other. Until an account sets its own rules, one rule allows all inbound traffic. Without rules, all inbound traffic is blocked. */
        put: operations["replaceFirewallRules"];
    };
    "/firewall-rulesets": {
        /** List firewall rulesets. Your rulesets, oldest first, without the account's rules. */
        get: operations["listFirewallRulesets"];
        /** Create a firewall ruleset. Rules for instances that are launched with it (`firewall_ruleset_ids`). Rules allow inbound traffic and are combined: an instance accepts traffic that a rule of the account or of one of its rulesets allows, and no other. Until an account sets its own rules, one rule allows all inbound traffic. */
        post: operations["createFirewallRuleset"];
    };
    "/firewall-rulesets/{id}": {
        /** Read a firewall ruleset. One ruleset, with its live instances. */
        get: operations["getFirewallRuleset"];
        /** Delete a firewall ruleset. Rejected while a live instance uses it. */
        delete: operations["deleteFirewallRuleset"];
        /** Change a firewall ruleset. Changes its name, its rules, or both. New rules also apply to existing instances. */
        patch: operations["changeFirewallRuleset"];
    };
    "/offers": {
        /** List what can be rented. Every instance type by name, with its price, the number of instances that fit in each region now, and the GPUs that are being reset or validated there. */
        get: operations["listOffers"];
    };
    "/quote": {
        /** Quote a launch. The cost of a launch per hour and per month (730 hours), for its whole quantity, and whether it fits now. Rejected if the launch would be rejected for an unknown name or a coupon that does not apply. Does not check quotas and spend limits, and reserves no capacity. */
        get: operations["getQuote"];
    };
    "/instances": {
        /** List instances with all fields. Your instances; with the operator scope those of all accounts, with their placement and reconciliation status. Terminated ones are listed until they are deleted. */
        get: operations["listInstances"];
        /** Launch instances. Launches `quantity` instances in one region, all or none. */
        post: operations["launchInstances"];
    };
    "/instances/{id}": {
        /** Read an instance with all fields. Your instance; a terminated one is found for 30 days (configurable). With the operator scope any account's, with its placement and reconciliation status. With `write`, its password and its command. */
        get: operations["getInstance"];
        /** Change an instance. Changes its name, tags, lifetime or idle rule; omitted fields stay unchanged. The host name stays as it was at launch. A new end of its lifetime must be in the future; the warning event is sent again before it. */
        patch: operations["changeInstance"];
    };
    "/launches": {
        /** List waiting launches. Launches of your account that wait, or waited, in order of arrival; with the operator scope, of all accounts. One that is over is listed for 30 days, unless the operator has set others. */
        get: operations["listLaunches"];
    };
    "/launches/{id}": {
        /** Read a waiting launch. What it waits for, and its instances once it is placed. With the operator scope one of any account. */
        get: operations["readLaunch"];
    };
    "/launches/{id}/cancel": {
        /** Cancel a waiting launch. It waits no longer, and nothing is launched. One that is over cannot be cancelled. With the operator scope one of any account, whose event has `by: operator` then. */
        post: operations["cancelLaunch"];
    };
    "/capacity-notices": {
        /** List capacity notices. The notices of your account, oldest first, with where there is capacity now. */
        get: operations["listCapacityNotices"];
        /** Create a capacity notice. Your account gets the event `capacity.available` each time there is capacity for at least one instance of the type in a region where there was none: when it has lasted for 15 seconds, and after there was none for 60 seconds. What is kept for launches that wait does not count. It reserves nothing. At most 100 for each account. Safe to repeat: the same notice is returned. */
        post: operations["createCapacityNotice"];
    };
    "/capacity-notices/{id}": {
        /** Delete a capacity notice. No more events come of it. */
        delete: operations["deleteCapacityNotice"];
    };
    "/reservation-calendar": {
        /** Read the calendar of what can be reserved. How many instances of a type could be reserved, step by step. A reservation over several steps can find less: what is free in each is not always on the same hosts. The quote knows. */
        get: operations["readReservationCalendar"];
    };
    "/reservations": {
        /** List reservations. Those of your account, past ones too; with the operator scope of all accounts, with their hosts. In the order in which they were made. `from` and `to` find those of a part of a calendar. */
        get: operations["listReservations"];
        /** Reserve capacity. Reserves capacity for `quantity` instances from `from` to `to`, if hosts surely have it then; otherwise nothing is reserved. All of its time is billed at the price of today, used or not; instances that are launched with its `reservation_id` cost nothing by themselves, and end with it. */
        post: operations["createReservation"];
    };
    "/reservations/{id}": {
        /** Read a reservation. One of your account; with the operator scope any. */
        get: operations["getReservation"];
    };
    "/reservation-quote": {
        /** Quote a reservation. What a reservation would cost, and whether it would be made now. Does not check quotas and spend limits, and reserves nothing. */
        get: operations["quoteReservation"];
    };
    "/reservations/{id}/cancel": {
        /** Cancel a reservation. One that has not begun: it costs nothing then. Later it cannot be cancelled, and is billed to its end; the operator can have set a notice before its begin. With the operator scope any that has not begun, at any time. */
        post: operations["cancelReservation"];
    };
    "/instances/{id}/stop": {
        /** Stop an instance. Stops the machine. Its data, address and capacity stay reserved, and billing continues. Safe to repeat. With the scope `operator`, also for any account's instance, with a `reason` that its account can read. */
        post: operations["stopInstance"];
    };
    "/instances/{id}/restart": {
        /** Restart a stopped instance. Starts a stopped instance. Rejected with 409 while maintenance of its host keeps it stopped. With the scope `operator`, also for any account's instance, with a `reason` that its account can read. */
        post: operations["restartInstance"];
    };
    "/instances/{id}/reboot": {
        /** Reboot an instance. Stops the machine of an active instance and starts it again; starts a stopped one. Its data and address stay, and billing continues. Has no effect while it is booting. With the scope `operator`, also for any account's instance, with a `reason` that its account can read. */
        post: operations["rebootInstance"];
    };
    "/instances/{id}/terminate": {
        /** Terminate an instance. Deletes it and its data; file systems and their data stay. Billing ends now. Safe to repeat. With the scope `operator`, also for any account's instance, with a `reason` that its account can read. */
        post: operations["terminateInstance"];
    };
    "/instances/{id}/move": {
        /** Move a stopped instance to another host. Copies the machine of a stopped instance, with its disk, to another host of its region; `move` says how far it is. It can be restarted meanwhile, and starts when the copy is complete. The old copy is removed after the first start on the new host; until then capacity is reserved on both. Rejected before anything is touched if no host has capacity, if a file system of it is on its host's own storage, and if its engine cannot move machines. Safe to repeat. */
        post: operations["moveInstance"];
    };
    "/instances/{id}/report-fault": {
        /** Report a faulty GPU. The GPUs of the instance, or one of them, leave service when it ends, and your provider checks them before another customer gets them. The instance itself goes on: launch another one with `like`, then terminate it. The provider may credit the last minutes of its bill, once for each instance. Safe to repeat. */
        post: operations["reportFault"];
    };
    "/instances/{id}/console-log": {
        /** Read an instance's console. The serial console output since the last start, as far as the engine stores it: for debugging the boot. Your own instances, or any account's with the operator scope. */
        get: operations["getInstanceConsoleLog"];
    };
    "/instances/{id}/metrics": {
        /** Read the metrics of an instance. What the agent in its guest reports, if its image has one (`metrics` of the instance). Everything is as the guest says. Kept for 30 days at falling resolution: 15 seconds for an hour, a minute for a day, 15 minutes for 7 days, then an hour. Your own instances, or any account's with the operator scope. */
        get: operations["getInstanceMetrics"];
    };
    "/usage": {
        /** Read usage and its cost. Up to now, oldest first. With `from` or `to`, `seconds` and cost are those of the requested days. `total` is the cost of all lines, including those on other pages. */
        get: operations["getUsage"];
    };
    "/usage/days": {
        /** Read usage by day. Up to now, oldest first, in days of UTC; days without usage have no line. `total` is the cost of all lines, including those on other pages. At most 3660 days per request. */
        get: operations["getUsageByDay"];
    };
    "/usage/months": {
        /** Read usage by month. Up to now, oldest first, in months of UTC; months without usage have no line. `total` is the cost of all lines, including those on other pages. At most 3660 days per request. */
        get: operations["getUsageByMonth"];
    };
    "/budget-alerts": {
        /** List your budget alerts. Smallest amount first. */
        get: operations["listBudgetAlerts"];
        /** Create a budget alert. Once in each month (UTC) in which your usage reaches the amount, you get `budget.reached` and an email. At most 10 for an account, each of another amount. */
        post: operations["createBudgetAlert"];
    };
    "/budget-alerts/{id}": {
        /** Delete a budget alert. It tells no more. */
        delete: operations["deleteBudgetAlert"];
    };
    "/statements": {
        /** List statements. One per month (UTC) and account with usage, oldest first. A month is closed between an hour and an hour and a quarter after its end; the statement of an open month is computed up to now. */
        get: operations["listStatements"];
    };
    "/statements/{month}": {
        /** Read a statement. The month's lines, one per instance or reservation with usage, and their total, which includes the lines on other pages. For operators without `account_id`: all accounts. 404 if there is no usage. */
        get: operations["getStatement"];
    };
    "/balance": {
        /** Read your balance. As of now: the sum of the ledger, less the usage of today and whatever else is not posted yet. Usage is posted once a day (UTC). */
        get: operations["getBalance"];
    };
    "/ledger": {
        /** List your ledger. Entries, newest first: payments, usage, credits, vouchers and corrections. They are never changed: what turns out to be different comes as a further entry. Those of a closed month add up to its statement. */
        get: operations["listLedger"];
    };
    "/accounts/{id}/balance": {
        /** Read an account's balance. As of now: the sum of the ledger, less the usage of today and whatever else is not posted yet. Usage is posted once a day (UTC). */
        get: operations["getAccountBalance"];
    };
    "/accounts/{id}/ledger": {
        /** List an account's ledger. Entries, newest first: payments, usage, credits, vouchers and corrections. They are never changed: what turns out to be different comes as a further entry. Those of a closed month add up to its statement. */
        get: operations["listAccountLedger"];
    };
    "/account/billing-details": {
        /** Read your billing details. What invoices state of the customer. */
        get: operations["getOwnBillingDetails"];
        /** Change your billing details. Omitted fields stay unchanged. It is for invoices from now on; issued ones stay as they are. */
        patch: operations["changeOwnBillingDetails"];
    };
    "/accounts/{id}/billing-details": {
        /** Read an account's billing details. What invoices state of the customer. */
        get: operations["getBillingDetails"];
        /** Change an account's billing details. Omitted fields stay unchanged. It is for invoices from now on; issued ones stay as they are. */
        patch: operations["changeBillingDetails"];
    };
    "/invoices": {
        /** List your invoices. Newest first. They never change: a credit note corrects one. */
        get: operations["listInvoices"];
    };
    "/accounts/{id}/invoices": {
        /** List an account's invoices. Newest first. They never change: a credit note corrects one. */
        get: operations["listAccountInvoices"];
    };
    "/invoices/{id}": {
        /** Read an invoice. As CSV: its lines. */
        get: operations["getInvoice"];
    };
    "/invoices/{id}/pdf": {
        /** Download an invoice. The same bytes each time. */
        get: operations["getInvoicePdf"];
    };
    "/invoices/{id}/credit-notes": {
        /** Issue a credit note. Takes back an invoice or a part of it, at most what is left of it (409). It changes no balance. */
        post: operations["issueCreditNote"];
    };
    "/accounting/{month}": {
        /** Export a month for accounting. CSV of all accounts: the entries of the ledger (`record` is `entry`), then the invoices (`invoice`). A month that is not closed, or whose invoices are still being issued, is rejected (409). */
        get: operations["exportAccounting"];
    };
    "/top-ups": {
        /** List your top-ups. Payments through the payment provider, newest first. All others are in your ledger. */
        get: operations["listTopUps"];
        /** Top up your balance. Pay at `checkout_url`. Without one yet, read the top-up again. The balance has the amount when the status is `paid`. */
        post: operations["createTopUp"];
    };
    "/top-ups/{id}": {
        /** Read a top-up. Its status, and where it is paid. */
        get: operations["getTopUp"];
    };
    "/payment-methods": {
        /** List your payment methods. Those that are saved or can be entered, newest first. */
        get: operations["listPaymentMethods"];
        /** Save a payment method. Enter it at `checkout_url`. Without one yet, read the method again. */
        post: operations["createPaymentMethod"];
    };
    "/payment-methods/{id}": {
        /** Read a payment method. Its status, and where it is entered. */
        get: operations["getPaymentMethod"];
        /** Remove a payment method. It is charged no more. */
        delete: operations["deletePaymentMethod"];
    };
    "/auto-top-up": {
        /** Read auto top-up. Null: there is none. */
        get: operations["getAutoTopUp"];
        /** Turn on auto top-up. When the balance is below `threshold_cents`, `amount_cents` are charged, of all in a month (UTC) at most `monthly_cap_cents`. */
        put: operations["putAutoTopUp"];
        /** Remove auto top-up. Nothing is charged any more. */
        delete: operations["deleteAutoTopUp"];
    };
    "/payments": {
        /** List payments. Of all accounts through the payment provider, newest first. */
        get: operations["listPayments"];
    };
    "/accounts/{id}/payments": {
        /** List an account's payments. Through the payment provider, newest first. */
        get: operations["listAccountPayments"];
    };
    "/payments/{id}": {
        /** Read a payment. Of any account. */
        get: operations["getPayment"];
    };
    "/payments/{id}/refunds": {
        /** List refunds of a payment. Newest first, also those that were not ordered here. */
        get: operations["listPaymentRefunds"];
        /** Refund a payment. Pays back through the payment provider, which is asked within seconds. More than is left of the payment is rejected (409). */
        post: operations["refundPayment"];
    };
    "/events": {
        /** Read events. Events of your account, oldest first; with the operator scope, of all accounts. `next_cursor` (also in `Link`) continues after them, now or later. A filtered page can be short or empty while there are more events: see `has_more`. */
        get: operations["listEvents"];
    };
    "/events/stream": {
        /** Follow events. Endless server-sent events: `data` is an event in JSON, `id` its cursor. A client that reconnects with `Last-Event-ID` resumes after that event and misses none. Comments keep the connection alive. The stream ends when the token is no longer valid, the server stops, or the client does not read. */
        get: operations["streamEvents"];
    };
    "/webhooks": {
        /** List webhooks. Oldest first. Secrets are not shown. */
        get: operations["listWebhooks"];
        /** Create a webhook. Sends events of these types from now on: POST, JSON, signed according to Standard Webhooks 1.0.0. Only this response has `secret`. */
        post: operations["createWebhook"];
    };
    "/webhooks/{id}": {
        /** Read a webhook. Without its secret. */
        get: operations["getWebhook"];
        /** Delete a webhook. Also deletes its deliveries; pending deliveries are discarded. */
        delete: operations["deleteWebhook"];
        /** Change a webhook. Omitted fields stay unchanged. A disabled webhook sends nothing; when re-enabled, delivery resumes with the next undelivered event. Pending deliveries go to the new URL. */
        patch: operations["changeWebhook"];
    };
    "/webhooks/{id}/rotate-secret": {
        /** Rotate a webhook's secret. Only this response has `secret`. For a day (`overlap_seconds`) each delivery has two signatures, by the new secret and by the previous one, so that receivers can switch. Until then the secret cannot be rotated again, except with `overlap_seconds` 0, which invalidates all previous secrets immediately. */
        post: operations["rotateWebhookSecret"];
    };
    "/webhooks/{id}/test": {
        /** Send a test to a webhook. Sends an event `webhook.test` now, to this webhook only, also while it is disabled. Its delivery has the result. At most 100 tests and resends of a webhook can be in progress. */
        post: operations["testWebhook"];
    };
    "/webhooks/{id}/deliveries": {
        /** List the deliveries of a webhook. Newest first, of the last 30 days. An event appears once the webhook has reached it. A page of one status can be short, or empty and still have a next page: follow the `Link` header to the end. */
        get: operations["listWebhookDeliveries"];
    };
    "/webhooks/{id}/deliveries/{delivery_id}": {
        /** Read a delivery. With the request body and the result of each attempt. */
        get: operations["getWebhookDelivery"];
    };
    "/webhooks/{id}/deliveries/{delivery_id}/resend": {
        /** Send a delivery again. Sends it now. A delivered or failed delivery is sent once more, with the same webhook-id, without waiting for others. A pending delivery, or the earlier one that it waits for, is retried immediately. */
        post: operations["resendWebhookDelivery"];
    };
    "/audit-log": {
        /** Read the audit log. Every request that changed something or was rejected, newest first, with its token, address, objects and result, including an operator's changes to your account. A filtered page can be short or empty and still have a next page: follow the `Link` header to the end. */
        get: operations["listAuditLog"];
    };
    "/accounts": {
        /** List accounts. All accounts, oldest first. */
        get: operations["listAccounts"];
        /** Create an account. Names are unique. The account needs a token to make requests. */
        post: operations["createAccount"];
    };
    "/accounts/{id}": {
        /** Read an account. One account with its current usage. */
        get: operations["getAccount"];
        /** Change an account. Omitted fields stay unchanged. A quota below the current usage only blocks new objects. What an inactive account has stays: instances run, reservations begin, and both are billed; you can terminate and cancel them. A token with a spend limit cannot raise the spend limit or the lifetime of its own account (409). */
        patch: operations["changeAccount"];
    };
    "/accounts/{id}/tokens": {
        /** List an account's tokens. Oldest first, including expired and revoked tokens. Token secrets are not stored. */
        get: operations["listAccountTokens"];
        /** Create a token for an account. With any scopes. A token with a spend limit cannot create tokens with the scopes `write` or `operator` in any account (409). Only this response has `token`. */
        post: operations["createAccountToken"];
    };
    "/accounts/{id}/tokens/{token_id}": {
        /** Revoke an account's token. Takes effect immediately. A token with a spend limit cannot revoke a token without one, in any account (409). The token stays on the list; revoking it again has no effect. */
        delete: operations["revokeAccountToken"];
        /** Change the spend limit of an account's token. A token cannot raise its own limit, and a token with a limit cannot raise another's in its own account (409). */
        patch: operations["changeAccountToken"];
    };
    "/accounts/{id}/top-ups": {
        /** Record a payment. A bank transfer that arrived. A reference that was recorded before, for any account, is rejected (409). */
        post: operations["topUpAccount"];
    };
    "/accounts/{id}/refunds": {
        /** Record a refund. Money that you pay back; this service transfers none. More than the account has left, or than it paid, is rejected (409). */
        post: operations["refundAccount"];
    };
    "/accounts/{id}/adjustments": {
        /** Adjust a balance. Corrects the balance of an account. Send an Idempotency-Key, so that a retry does not count twice. */
        post: operations["adjustBalance"];
    };
    "/regions": {
        /** List regions. All regions, by name. */
        get: operations["listRegions"];
    };
    "/regions/{name}": {
        /** Create or replace a region. The name `any` is rejected: it means the best region. */
        put: operations["putRegion"];
        /** Delete a region. Rejected while hosts, file systems or firewall rulesets are in it, or a reservation that is not over. */
        delete: operations["deleteRegion"];
    };
    "/hosts": {
        /** List hosts. All hosts by name, with free and reserved resources. */
        get: operations["listHosts"];
    };
    "/hosts/{name}": {
        /** Read a host. One host, with free and reserved resources. */
        get: operations["getHost"];
        /** Create or replace a host. A host of the simulated engine is created. A host of a real engine is discovered, and this overrides what it counts as, now and after every later sync: it has no more than these sizes, so that the rest is yours, and the listed GPUs have this model and memory (others stay as discovered; only the engine determines where a GPU is and in which region the host is). Resources that instances use cannot be removed, neither by a smaller size or other GPUs, nor by another region or engine; a host that is promised to reservations stays in its region. A cordon, note and labels are not changed. */
        put: operations["putHost"];
        /** Delete a host. For a discovered host that a PUT has overridden, removes only the override. Otherwise deletes the host; rejected while instances are on it: cordon it and wait until they are terminated. A discovered host that its engine still has reappears with the next sync; one that was lost is lost again, until it is clean. */
        delete: operations["deleteHost"];
        /** Change the note and labels of a host. Omitted fields stay unchanged. Of `labels` the named ones are set, and those that are null are removed. Nothing is decided by them: they are for people, and for the selectors of requests. */
        patch: operations["changeHost"];
    };
    "/hosts/{name}/cordon": {
        /** Cordon a host. Places no new instances on it. Existing instances keep running. Safe to repeat; a new reason replaces the old one. */
        post: operations["cordonHost"];
    };
    "/hosts/{name}/uncordon": {
        /** Uncordon a host. Allows new instances on it again. Safe to repeat; a new reason replaces the old one. */
        post: operations["uncordonHost"];
    };
    "/hosts/{name}/drain": {
        /** Drain a host. Cordons it to empty it. With `mode: wait`, existing instances keep running until their accounts terminate them. With `mode: move`, stopped ones move to other hosts of the region as capacity allows, and running ones once they are stopped; a move that fails is not repeated. `instances` of the host says how many are left. Safe to repeat; a new reason replaces the old one. */
        post: operations["drainHost"];
    };
    "/hosts/{name}/declare-lost": {
        /** Declare a host lost. For a host that its engine cannot reach and that will not return as it was. Without `confirmation` nothing happens: the response lists what would end, and the `confirmation` to send for it. With it, its instances end with `host-lost`, billed until `unreachable_since`; the file systems on its own storage are lost; its capacity is not offered. Rejected with 409 for a host that its engine reaches, and if something else would end than what was confirmed. If the host returns, what it still runs is removed, and it is cordoned. */
        post: operations["declareHostLost"];
    };
    "/hosts/{name}/fence": {
        /** Fence a host. Turns a host off that its engine cannot reach, by the command of `fencing` in lessor.yaml, and verifies that it is off: then nothing on it runs any more. The response follows when the command has ended, after its `timeout_seconds` at the latest. Rejected with 409 for a host that answers, without a command, and if the command does not say that the host is off. Safe to repeat. */
        post: operations["fenceHost"];
    };
    "/maintenance-windows": {
        /** List maintenance windows. Those of hosts with your instances, past ones too; with the operator scope those of all hosts. In the order in which they were scheduled. */
        get: operations["listMaintenance"];
        /** Schedule maintenance. Creates a window of the host, or of each host that the selector finds, all or none. Accounts with instances there get the event `maintenance.scheduled`. Rejected with 409 if a window of a host overlaps. */
        post: operations["scheduleMaintenance"];
    };
    "/maintenance-windows/{id}": {
        /** Read a maintenance window. One window of a host with your instances; with the operator scope any window. */
        get: operations["getMaintenance"];
        /** Cancel or end a maintenance window. Cancels a window that has not begun, and ends one that has: its host returns to the state it had before, and the instances that were stopped for it start again. Accounts with instances there get the event `maintenance.ended`. The window stays readable. */
        delete: operations["deleteMaintenance"];
        /** Change a maintenance window. Omitted fields stay unchanged. Once it has begun, only `to` can change. Accounts with instances on the host get the event `maintenance.scheduled` with what holds now. */
        patch: operations["changeMaintenance"];
    };
    "/maintenance-windows/{id}/defer": {
        /** Defer a maintenance window. Moves a window of a host with your instances to a later time, with its length: by at least 15 minutes, at the latest to `deferrable_until`, and until 10 minutes before it begins. It moves for everyone on that host, and all accounts with instances there get the event `maintenance.scheduled`. */
        post: operations["deferMaintenance"];
    };
    "/gpus": {
        /** List GPUs. All GPUs of all hosts, by host and address: their state, and why one is quarantined. */
        get: operations["listGpus"];
    };
    "/hosts/{name}/gpus/{address}/quarantine": {
        /** Quarantine a GPU. No instance gets it from now on, until it is retested or released. An instance that has it keeps it, and it is quarantined when that is gone (`quarantine_next`). Safe to repeat; a new reason replaces the old one. */
        post: operations["quarantineGpu"];
    };
    "/hosts/{name}/gpus/{address}/retest": {
        /** Retest a GPU. The helper of its host resets it again, and it is validated if its policy says so. It is offered when that is verified, and quarantined again if not. Safe to repeat. */
        post: operations["retestGpu"];
    };
    "/hosts/{name}/gpus/{address}/validate": {
        /** Validate a GPU. A machine of the service checks a free GPU, whatever its policy says; a quarantined one is reset before. It is offered again by the verdict, and quarantined otherwise. Rejected with 409 while an instance has it, and if no policy of its model has a `validation`. Safe to repeat. */
        post: operations["validateGpu"];
    };
    "/hosts/{name}/gpus/{address}/release": {
        /** Release a GPU. Offers a quarantined GPU again as it is; one that its policy resets is reset before (`reset_before`) if no reset has come to an end since its last instance. One that an instance has is not quarantined when that ends. Without `confirmation` nothing happens: the response says why it is quarantined, and has the `confirmation` to send. Rejected with 409 if that has changed meanwhile. */
        post: operations["releaseGpu"];
    };
    "/gpu-partitions": {
        /** List NVSwitch partitions. The partitions of all hosts whose GPU helper reports some, by host, the largest first: their GPUs, and which instance has them. Instances on such hosts get the GPUs of exactly one partition. */
        get: operations["listGpuPartitions"];
    };
    "/gpu-policies": {
        /** List GPU policies. What happens to GPUs between two tenants, by model and region. A model without a policy has `none`. */
        get: operations["listGpuPolicies"];
    };
    "/gpu-policies/{model}": {
        /** Set a GPU policy. Counts for GPUs of the model that instances give back, or that are new, from now on. With `reset`, each host needs a GPU helper: without one its GPUs are quarantined. `reset+validate` requires `validation`; without that handover its image serves validations on demand and burn-ins. Replaces the whole policy. */
        put: operations["putGpuPolicy"];
        /** Remove a GPU policy. The model has `none` again, or in a region the policy of every region. */
        delete: operations["deleteGpuPolicy"];
    };
    "/engines": {
        /** List engines. Engines by name, with their numbers of hosts and instances and the result of the last sync. */
        get: operations["listEngines"];
    };
    "/instance-types": {
        /** List instance types. All instance types, by name. */
        get: operations["listInstanceTypes"];
    };
    "/instance-types/{name}": {
        /** Create or replace an instance type. Existing instances keep the type and the price they were launched with. */
        put: operations["putInstanceType"];
        /** Delete an instance type. It can no longer be launched; existing instances keep running. */
        delete: operations["deleteInstanceType"];
    };
    "/images": {
        /** List images. All images, by name. */
        get: operations["listImages"];
    };
    "/images/{name}": {
        /** Create or replace an image. If no image is the default, the image with the lowest number is used. */
        put: operations["putImage"];
        /** Delete an image. It can no longer be launched; existing instances keep running. */
        delete: operations["deleteImage"];
    };
    "/coupons": {
        /** List coupons. All coupons, by code, including expired ones. */
        get: operations["listCoupons"];
    };
    "/coupons/{code}": {
        /** Create or replace a coupon. Instances launched with it keep their discount. */
        put: operations["putCoupon"];
        /** Delete a coupon. It can no longer be used; instances launched with it keep their discount. */
        delete: operations["deleteCoupon"];
    };
    "/vouchers": {
        /** List vouchers. All vouchers without their codes, oldest first, including expired and used ones. */
        get: operations["listVouchers"];
        /** Create a voucher. Its code is worth money to each account that redeems it. Only this response has `code`. */
        post: operations["createVoucher"];
    };
    "/vouchers/{id}": {
        /** Delete a voucher. It can no longer be redeemed; what was redeemed stays. */
        delete: operations["deleteVoucher"];
    };
    "/vouchers/redeem": {
        /** Redeem a voucher. Adds what it is worth to your balance, once for an account. One that expired or is used up is rejected (409). */
        post: operations["redeemVoucher"];
    };
    "/capacity": {
        /** Explain the capacity of each region. For each instance type and region: the number of hosts that pass each condition of a launch, and the GPUs that are being reset or validated. */
        get: operations["explainCapacity"];
    };
    "/encryption": {
        /** Read the encryption keys. By ID: which key encrypts, and the number of values encrypted with each. Counts all values on each request: do not poll. */
        get: operations["getEncryption"];
    };
    "/encryption/rotate": {
        /** Re-encrypt everything with a new key. If the replica has a key file and is the only one running, it creates a new key; otherwise it uses the first of its keys, which every running replica must have and encrypt with. It starts shortly after the response, runs online and resumes after a crash: see `GET /encryption`. While a rotation is in progress, the response is that rotation. */
        post: operations["rotateEncryption"];
    };
    "/encryption/retire": {
        /** Remove an old key from the key file. From the key file of the responding replica. Rejected while a replica encrypts with it or any value is encrypted with it. Backups from before the rotation still need the key: keep a copy with them. */
        post: operations["retireEncryptionKey"];
    };
    "/replicas": {
        /** List running replicas. All replicas of this database. A replica without a heartbeat for 15 seconds is expired. */
        get: operations["listReplicas"];
    };
    "/emails": {
        /** List emails. Emails to accounts, newest first, for 30 days. One is tried for a day, with growing delays, unless the mail server rejects it for good. */
        get: operations["listEmails"];
    };
    "/emails/test": {
        /** Send a test email. Queues it. Whether it was sent, the list says. */
        post: operations["sendTestEmail"];
    };
    "/simulator/faults": {
        /** List faults. The faults in effect, in the order in which they apply. */
        get: operations["listFaults"];
        /** Inject a fault. Effective at once on every server, until it is removed or has affected `remaining` calls. */
        post: operations["addFault"];
        /** Remove all faults. They end at once. A host that has failed stays so until it is revived. */
        delete: operations["removeAllFaults"];
    };
    "/simulator/faults/{id}": {
        /** Remove a fault. It ends at once. */
        delete: operations["removeFault"];
    };
    "/simulator/hosts/{name}/fail": {
        /** Let a simulated host fail. It responds no more. Its machines stay as they are. Safe to repeat. */
        post: operations["failSimulatedHost"];
    };
    "/simulator/hosts/{name}/revive": {
        /** Revive a simulated host. It responds again. Its machines stay as they are. Safe to repeat. */
        post: operations["reviveSimulatedHost"];
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AcceptInvitation: {
            /** Of the invitation. */
            secret: string;
            /**
             * @description 1 to 64 characters on one line, without space at the ends.
             * @example Ada
             */
            name?: string;
        };
        Account: {
            id: string;
            /** @example acme */
            name: string;
            status: Schemas["AccountStatus"];
            quotas: Schemas["Counts"];
            /** Current usage that counts toward the quotas. */
            used: Schemas["Counts"];
            spend_limit_cents: number | null;
            /** Usage that counts toward the spend limit since the start of the month (UTC), with six fractional digits. Null where there is no limit. */
            spent_this_month_cents: string | null;
            max_lifetime_seconds: number | null;
            /** `prepaid`: It pays before: what it launches needs money in its balance. `postpaid`: It pays afterwards, up to its credit line if it has one. */
            payment_terms: Schemas["PaymentTerms"];
            credit_line_cents: number | null;
            contact_email: string | null;
            /** The kinds of emails that the account does not get. */
            disabled_emails: Schemas["EmailKind"][];
            /** On hold: it launches nothing. */
            held_since: string | null;
            created_at: string;
        };
        AccountList: {
            data: Schemas["Account"][];
        };
        AccountResponse: {
            data: Schemas["Account"];
        };
        AccountStatus: "active" | "inactive";
        AddSshKeyRequest: {
            /**
             * @description 1 to 64 of letters, digits, space, `.`, `_`, `@`, `-`; unique in your account.
             * @example laptop
             */
            name: string;
            /**
             * @description One line, as in an authorized_keys file. Without it an ed25519 pair is generated.
             * @example ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMjV5MGT0H3ZpPUlWJ8mW3N8fVYd0mUjcbAhnXk0C0dl ada@example.com
             */
            public_key?: string;
        };
        AddedSshKey: {
            id: string;
            /** @example laptop */
            name: string;
            /** One line, as in an authorized_keys file. */
            public_key: string;
            /** SHA-256, as `ssh-keygen -l` shows it. */
            fingerprint: string;
            created_at: string;
            /** In OpenSSH format. Only for a generated pair, only in this response, and not stored. */
            private_key?: string;
        };
        AddedSshKeyResponse: {
            data: Schemas["AddedSshKey"];
        };
        AdjustBalanceRequest: {
            /** Above zero gives, below zero takes; not 0. */
            amount_cents: number;
            /**
             * @description Why, in one line of up to 200 characters. The account reads it.
             * @example Outage on March 1
             */
            reason: string;
        };
        AnnouncedCapacity: {
            instance_type: string;
            region: string;
            /** Format: date-time. When it was announced. */
            since: string;
        };
        AppliedCoupon: {
            code: string;
            /** Format: double */
            discount_percent: number;
        };
        Architecture: "x86_64" | "arm64";
        AttemptError: "status" | "redirect" | "gone" | "target_refused" | "name_not_found" | "connection_refused" | "connection_failed" | "tls" | "timeout" | "invalid_answer";
        AuditEntry: {
            id: string;
            at: string;
            /** Format: uuid. Of the token of the request. */
            account_id: string;
            token_id: string;
            /** Whose token it is. Null: the team's own, or an operator's. */
            person: Schemas["Named"] | null;
            /** The account whose objects an operator changed, if it is another one. */
            changed_account_id: string | null;
            /** The client's address. Null for requests of an operator. */
            address: string | null;
            /** @example marketplace */
            interface: string;
            /**
             * @description The operationId of the interface's document.
             * @example stopInstances
             */
            operation: string;
            /** @example POST */
            method: string;
            /** IDs and names of the objects that the request concerned or created. */
            objects: string[];
            /** `replayed`: a response repeated for an Idempotency-Key. `refused` and `failed` changed nothing. */
            result: Schemas["AuditResult"];
            /** Of the response. */
            status: number;
            error_code: string | null;
            /** The reason, if the request stated one; accounts do not see why their instances were moved. */
            reason: string | null;
            /** X-Request-Id of the response. */
            request_id: string;
        };
        AuditEntryList: {
            data: Schemas["AuditEntry"][];
        };
        AuditResult: "done" | "replayed" | "refused" | "failed";
        AutoTopUp: {
            threshold_cents: number;
            amount_cents: number;
            monthly_cap_cents: number;
            /** Null: the default. */
            payment_method_id: string | null;
            /** What is in progress included. */
            charged_this_month_cents: number;
            /** Being charged now. */
            in_progress_cents: number;
            /** Null: it is on. */
            turned_off_at: string | null;
            turned_off_reason: string | null;
        };
        AutoTopUpResponse: {
            data: Schemas["AutoTopUp"];
        };
        Balance: {
            account_id: string;
            /** What the account can spend; below zero, what it owes. Millionths of a cent, a whole number. */
            balance_micro_cents: string;
            /** The same in cents, with six fractional digits. */
            balance_cents: string;
            /** Usage, less credits, that the balance counts and no entry has yet. Millionths of a cent, a whole number. */
            pending_micro_cents: string;
            /** The same in cents, with six fractional digits. */
            pending_cents: string;
            payment_terms: Schemas["PaymentTerms"];
            credit_line_cents: number | null;
            /** On hold since then, because a payment was disputed. Null: it is not. */
            held_since: string | null;
            /** Of what runs now. Null where nothing does, or where the balance has no bound. */
            runway: {
                /** What runs and no reservation pays for costs so much in an hour. */
                cents_per_hour: string;
                /** How long the money lasts. */
                seconds: number;
                empty_at: string;
            } | null;
            /** When running instances are stopped and terminated, because the money is used up. Null: there is money, or nothing runs. */
            exhausted: {
                since: string;
                /** Null: they are not stopped before. */
                stop_at: string | null;
                terminate_at: string;
            } | null;
            /** What a top-up can have. Null: this service takes no payments online. */
            top_ups: {
                /** @example 500 */
                min_amount_cents: number;
                /** @example 1000000 */
                max_amount_cents: number;
                /** @example usd */
                currency: string;
            } | null;
            /** Format: date-time. When that was so. */
            at: string;
        };
        BalanceResponse: {
            data: Schemas["Balance"];
        };
        BillingDetails: {
            /** Null: the name of the account. */
            legal_name: string | null;
            /** Up to six lines. */
            address: string[];
            country: string | null;
            /** In the European Union it begins with the country. It is not looked up. */
            tax_id: string | null;
            /** Where invoices go. Null: to the contact address. */
            invoice_email: string | null;
        };
        BillingDetailsResponse: {
            data: Schemas["BillingDetails"];
        };
        BudgetAlert: {
            id: string;
            amount_cents: number;
            /** This month. Null: it is not reached. */
            reached_at: string | null;
            created_at: string;
        };
        BudgetAlertList: {
            data: Schemas["BudgetAlert"][];
        };
        BudgetAlertResponse: {
            data: Schemas["BudgetAlert"];
        };
        CalendarRegion: {
            region: string;
            /** Without gaps, in order. */
            steps: Schemas["CalendarStep"][];
        };
        CalendarStep: {
            from: string;
            to: string;
            /** How many instances could be reserved for all of the step, as of now. */
            available: number;
        };
        CapacityNotice: {
            id: string;
            /** Null: every one. */
            instance_type: string | null;
            /** Null: every one. */
            region: string | null;
            /** Where there is capacity for at least one instance, of what it is about. No event comes of these before their capacity was gone. */
            available: Schemas["AnnouncedCapacity"][];
            created_at: string;
        };
        CapacityNoticeList: {
            data: Schemas["CapacityNotice"][];
        };
        CapacityNoticeResponse: {
            data: Schemas["CapacityNotice"];
        };
        ChangeAccountRequest: {
            /**
             * @description 1 to 64 characters on one line, without space at the ends.
             * @example acme
             */
            name?: string;
            /** Default of a new account: `active`. */
            status?: Schemas["AccountStatus"];
            /** Maximum usage at any time. Default of a new account: the configured quotas. */
            quotas?: Schemas["Quotas"];
            /** Per calendar month (UTC). When it is reached, the account cannot launch and its instances are terminated, stopped ones too, because they cost the same; an event warns before. Null: no limit, the default of a new account unless configured otherwise. */
            spend_limit_cents?: number | null;
            /** The default and the maximum lifetime of instances that it launches from now on. Counted from when an instance is billed for the first time (when it is first active or first stopped); then it is terminated. Null: no limit, the default of a new account unless configured otherwise. */
            max_lifetime_seconds?: number | null;
            payment_terms?: Schemas["PaymentTerms"];
            /** How far below zero the balance of a postpaid account may be. Null: without a bound. Prepaid accounts have none. */
            credit_line_cents?: number | null;
            /** Where emails about the account go. Null: it gets none. */
            contact_email?: string | null;
            /** The kinds of emails that the account does not get. */
            disabled_emails?: Schemas["EmailKind"][];
            /**
             * @description It launches again.
             * @constant
             */
            lift_hold?: true;
        };
        ChangeBillingDetails: {
            /** Null: the name of the account. */
            legal_name?: string | null;
            /** Up to six lines. */
            address?: string[];
            country?: string | null;
            /** In the European Union it begins with the country. It is not looked up. */
            tax_id?: string | null;
            /** Where invoices go. Null: to the contact address. */
            invoice_email?: string | null;
        };
        ChangeFirewallRulesetRequest: {
            /**
             * @description 1 to 64 characters, not unique.
             * @example web servers
             */
            name?: string;
            /** Allowed inbound traffic: traffic that matches at least one rule. */
            rules?: Schemas["GivenFirewallRule"][];
        };
        ChangeHostRequest: {
            /** Empty: none. */
            note?: string;
            /**
             * @description By key, as tags: the key has no `=`, `,` or `\`. Null removes one.
             * @example {
             *       "rack": "r12"
             *     }
             */
            labels?: {
                [key: string]: string | null;
            };
        };
        ChangeInstanceRequest: {
            /**
             * @description 1 to 64 characters; empty: the default name.
             * @example training
             */
            name?: string;
            /** All of your own labels. */
            tags?: Schemas["Tag"][];
            /** Counted from when it is billed for the first time (when it is first active or first stopped); then it is terminated, and an event warns before. Default and maximum: the account's `max_lifetime_seconds`; null: no limit. */
            max_lifetime_seconds?: number | null;
            /** What happens when its GPUs are not used. Only with an image whose agent reports that (`metrics`). Null, the default: nothing. */
            idle_rule?: Schemas["IdleRule"] | null;
        };
        ChangeMaintenanceRequest: {
            /** Format: date-time. When it begins. ISO 8601 with time and offset. */
            from?: string;
            /** Format: date-time. When it ends. ISO 8601 with time and offset. */
            to?: string;
            /**
             * @description Reason in one line of up to 300 characters. Accounts with instances on the host read it.
             * @example New firmware of the GPUs
             */
            reason?: string;
            /** `stop`: Instances on the host stop when the window begins, and those that ran start again when it ends. `move`: Instances on the host stop when the window begins and move to other hosts of the region, where those that ran start again; those that cannot move start again when it ends. `nothing`: Instances on the host keep running. */
            mode?: Schemas["MaintenanceMode"];
            /** The latest begin that accounts can choose; null: none. */
            deferrable_until?: string | null;
            /** The revision that you have read. The request is rejected with 409 if the window has changed since. */
            revision?: number;
        };
        ChangeMember: {
            role: Schemas["TeamRole"];
        };
        ChangeOwnAccountRequest: {
            /** Where emails about the account go. Null: it gets none. */
            contact_email?: string | null;
            /** The kinds of emails that the account does not get. */
            disabled_emails?: Schemas["EmailKind"][];
        };
        ChangeToken: {
            /** Per calendar month (UTC), of the instances that this token launches. When it is reached, the token cannot launch, and its instances are terminated, stopped ones too; an event warns before. Null, the default: no limit except the account's. */
            spend_limit_cents: number | null;
        };
        ChangeWebhookRequest: {
            /**
             * @description An https URL without user name and password, at a public internet address. The operator can allow more.
             * @example https://example.com/hooks/lessor
             */
            url?: string;
            /**
             * @description Free text. Default: none.
             * @example Billing
             */
            description?: string;
            /**
             * @description Types, or globs such as `instance.*`. Default, and empty: all.
             * @example [
             *       "instance.*",
             *       "ssh_key.created"
             *     ]
             */
            event_types?: string[];
            /** Default: true. When re-enabled, delivery resumes with the next undelivered event. */
            active?: boolean;
        };
        CompatibilityVersion: "1.0.3" | "vendor-1.0";
        ConsoleLog: {
            /** Empty if there is no output or the engine stores none. */
            text: string;
            /** Whether earlier output was cut: only the last 1 MiB is shown. */
            truncated: boolean;
        };
        ConsoleLogResponse: {
            data: Schemas["ConsoleLog"];
        };
        Cost: {
            /** Millionths of a cent, a whole number. */
            cost_micro_cents: string;
            /** The same in cents, with six fractional digits. */
            cost_cents: string;
        };
        Counts: {
            instances: number;
            gpus: number;
            vcpus: number;
            ssh_keys: number;
            file_systems: number;
        };
        Coupon: {
            /** @example SPRING10 */
            code: string;
            /** Format: double */
            discount_percent: number;
            deactivation_date: string;
            instance_types: string[];
            active: boolean;
        };
        CouponList: {
            data: Schemas["Coupon"][];
        };
        CouponResponse: {
            data: Schemas["Coupon"];
        };
        CreateAccountRequest: {
            /**
             * @description 1 to 64 characters on one line, without space at the ends.
             * @example acme
             */
            name: string;
            /** Default of a new account: `active`. */
            status?: Schemas["AccountStatus"];
            /** Maximum usage at any time. Default of a new account: the configured quotas. */
            quotas?: Schemas["Quotas"];
            spend_limit_cents?: number | null;
            max_lifetime_seconds?: number | null;
            payment_terms?: Schemas["PaymentTerms"];
            /** How far below zero the balance of a postpaid account may be. Null: without a bound. Prepaid accounts have none. */
            credit_line_cents?: number | null;
            /** Where emails about the account go. Null: it gets none. */
            contact_email?: string | null;
            /** The kinds of emails that the account does not get. */
            disabled_emails?: Schemas["EmailKind"][];
        };
        CreateBudgetAlertRequest: {
            /** Format: int64 */
            amount_cents: number;
        };
        CreateCapacityNotice: {
            /**
             * @description Its name. Default: every one.
             * @example gpu_8x_h100_sxm5
             */
            instance_type?: string;
            /**
             * @description Its name, or `any`, the default, for every one.
             * @example any
             */
            region?: string;
        };
        CreateFileSystemRequest: {
            /**
             * @description 1 to 64 of letters, digits, `.`, `_` and `-`, not starting with `.` or `-`; unique in your account.
             * @example models
             */
            name: string;
            /**
             * @description Name of the region. Only instances in that region can attach it.
             * @example us-east-1
             */
            region: string;
            size_gb: number;
        };
        CreateFirewallRulesetRequest: {
            /**
             * @description 1 to 64 characters, not unique.
             * @example web servers
             */
            name: string;
            /**
             * @description The name of a region.
             * @example us-east-1
             */
            region: string;
            /** Allowed inbound traffic: traffic that matches at least one rule. */
            rules: Schemas["GivenFirewallRule"][];
        };
        CreateInvitation: {
            /** @example ops@acme.example */
            email: string;
            role: Schemas["TeamRole"];
        };
        CreateToken: {
            /**
             * @description 1 to 64 characters on one line, without space at the ends.
             * @example ci
             */
            name: string;
            /** Duplicates count once. `read`: read. `write`: change. `operator`: the operators' part of this interface. No scope implies another. */
            scopes: Schemas["Scope"][];
            /** Null: it does not expire. Default and maximum: the expiration of the token of this request. */
            expires_at?: string | null;
            spend_limit_cents?: number | null;
            /** Whose it is: you, or null for a token of the team, which needs the right `tokens`. Default: as the token of this request. Operators name a person of the team. */
            person_id?: string | null;
            /** With the scope `operator`. Default: as the token of this request. Only `operator` can choose another. */
            operator_role?: Schemas["OperatorRole"];
            /** `1.0.3`: For clients that reject unknown or missing fields: the reference interface and its lambda edition respond in exactly the shapes of version 1.0.3. `vendor-1.0`: For clients generated from the vendor's own document: the direct interface responds with that document's types (passwords and prices as strings, discounts as fractions), and a restart there reboots a running instance. Null, the default: the current version. It never changes. */
            compatibility_version?: Schemas["CompatibilityVersion"] | null;
        };
        CreateTopUpRequest: {
            /** The service has limits of its own. */
            amount_cents: number;
        };
        CreateVoucherRequest: {
            /**
             * @description 1 to 64 characters on one line, without space at the ends.
             * @example Spring 2026
             */
            name: string;
            /** What it is worth to each account that redeems it. */
            amount_cents: number;
            /** How many accounts can redeem it. Default: 1. */
            max_uses?: number;
            /** Default: null, never. */
            expires_at?: string | null;
            /**
             * @description 8 to 64 letters, digits and dashes; neither dashes nor case count. Default: 20 random letters, which cannot be guessed.
             * @example SPRING-2026-GPU
             */
            code?: string;
        };
        CreateWebhookRequest: {
            /**
             * @description An https URL without user name and password, at a public internet address. The operator can allow more.
             * @example https://example.com/hooks/lessor
             */
            url: string;
            /**
             * @description Free text. Default: none.
             * @example Billing
             */
            description?: string;
            /**
             * @description Types, or globs such as `instance.*`. Default, and empty: all.
             * @example [
             *       "instance.*",
             *       "ssh_key.created"
             *     ]
             */
            event_types?: string[];
            /** Default: true. When re-enabled, delivery resumes with the next undelivered event. */
            active?: boolean;
        };
        DeclareHostLostRequest: {
            /**
             * @description Reason in one line of up to 300 characters, for other operators.
             * @example Burnt power supply, written off
             */
            reason: string;
            /**
             * @description From the response without it. Omitted: nothing is changed.
             * @example 5f0c2b1e9a7d4c36
             */
            confirmation?: string;
        };
        DeferMaintenanceRequest: {
            /** Format: date-time. When it begins then. Default: `deferrable_until` of the window. ISO 8601 with time and offset. */
            until?: string;
        };
        Delivery: {
            id: string;
            /** Format: uuid. The value of the webhook-id header. */
            event_id: string;
            /** @example instance.active */
            event_type: string;
            status: Schemas["DeliveryStatus"];
            /** Whether it is a test or a resend. */
            asked_for: boolean;
            attempts: number;
            /** Null while it waits for an earlier delivery of the same subject, and when it is finished. */
            next_attempt_at: string | null;
            created_at: string;
            finished_at: string | null;
        };
        DeliveryInFull: {
            id: string;
            /** Format: uuid. The value of the webhook-id header. */
            event_id: string;
            /** @example instance.active */
            event_type: string;
            status: Schemas["DeliveryStatus"];
            /** Whether it is a test or a resend. */
            asked_for: boolean;
            attempts: number;
            /** Null while it waits for an earlier delivery of the same subject, and when it is finished. */
            next_attempt_at: string | null;
            created_at: string;
            finished_at: string | null;
            /** The body, identical for every attempt. */
            body: string;
            /** The last 50 attempts, oldest first. */
            log: {
                at: string;
                /** Null if there was no response. */
                status_code: number | null;
                milliseconds: number;
                /** Null: delivered. */
                error: Schemas["AttemptError"] | null;
                /** The first KiB of the response body. */
                answer: string;
            }[];
        };
        DeliveryInFullResponse: {
            data: Schemas["DeliveryInFull"];
        };
        DeliveryList: {
            data: Schemas["Delivery"][];
        };
        DeliveryResponse: {
            data: Schemas["Delivery"];
        };
        DeliveryStatus: "pending" | "delivered" | "failed";
        DisabledReason: "failing" | "gone";
        DrainMode: "wait" | "move";
        DrainOrder: {
            /**
             * @description Reason in one line of up to 300 characters, for other operators.
             * @example PSU 2 is exchanged
             */
            reason?: string;
            /** How it is emptied: `wait`: its instances stay until their accounts or an operator end or move them; `move`: stopped instances are moved to other hosts of the region as capacity allows, and running ones once they are stopped. Default: as before, and at first `wait`. */
            mode?: Schemas["DrainMode"];
        };
        Email: {
            id: string;
            account_id: string;
            /** @example instance_ended */
            kind: string;
            recipient: string;
            subject: string;
            /** `suppressed`: the account had more than 20 within the hour. */
            status: Schemas["EmailStatus"];
            attempts: number;
            next_attempt_at: string | null;
            /** Of the last attempt. */
            last_failure: {
                error: Schemas["EmailError"];
                response: string | null;
            } | null;
            created_at: string;
            finished_at: string | null;
        };
        EmailError: "connection" | "timeout" | "tls" | "authentication" | "sender" | "deferred" | "rejected" | "expired";
        EmailKind: "instance_ended" | "low_balance" | "budget" | "host_lost" | "maintenance" | "reservation_unfulfilled" | "invoice" | "payment_problem" | "auto_top_up" | "invitation" | "sign_in";
        EmailList: {
            data: Schemas["Email"][];
        };
        EmailResponse: {
            data: Schemas["Email"];
        };
        EmailStatus: "waiting" | "sent" | "failed" | "suppressed";
        Encryption: {
            /**
             * @description Of the responding replica.
             * @enum {string}
             */
            keys_from: "file" | "environment";
            /**
             * @description First 8 hexadecimal digits of the SHA-256 of the key.
             * @example 9f2c61d4
             */
            current_key_id: string;
            /** The keys of that replica (the first is meant for encryption) and the keys that it lacks. */
            keys: {
                /**
                 * @description First 8 hexadecimal digits of the SHA-256 of the key.
                 * @example 9f2c61d4
                 */
                id: string;
                /** Whether the responding replica encrypts with it. */
                current: boolean;
                /** Whether that replica has it. */
                known: boolean;
                /** Format: int64. Number of values encrypted with it. */
                values: number;
                /** The same by kind. */
                kinds: {
                    [key: string]: number;
                };
            }[];
            /** The current rotation, or the last one. */
            rotation: Schemas["Rotation"] | null;
        };
        EncryptionResponse: {
            data: Schemas["Encryption"];
        };
        Engine: {
            /** @example cluster-a */
            name: string;
            /** Null: the engine is not in the settings of this replica, so its hosts and instances are not reconciled. */
            kind: ("simulated" | "incus" | "libvirt" | "openstack") | null;
            hosts: number;
            /** Number of hosts that the engine reports as available. */
            hosts_available: number;
            hosts_cordoned: number;
            /** Not terminated. */
            instances: number;
            /** Number of unreachable instances. */
            instances_unreachable: number;
            /** When its hosts and machines were last synced, successfully or not; null: never. */
            last_sweep_at: string | null;
            /** Why the last sync failed; null if it succeeded. */
            last_sweep_error: string | null;
            /** When a sync last succeeded. */
            last_good_sweep_at: string | null;
        };
        EngineList: {
            data: Schemas["Engine"][];
        };
        Error: {
            error: {
                /** Stable error code, for programs. */
                code: string;
                /** What happened, in one sentence. */
                message: string;
                /** How to fix it. */
                suggestion: string;
                /** Also in the X-Request-Id header and in the service log. */
                request_id: string;
            };
            /** Problems with individual fields, by path. */
            field_errors?: {
                [key: string]: Schemas["FieldError"];
            };
        };
        Event: {
            id: string;
            /**
             * @description Subject and what happened.
             * @example instance.active
             * @example ssh_key.created
             */
            type: string;
            timestamp: string;
            /** The account of the event; null: of none, such as an event of a host. For operators only. */
            account_id?: string | null;
            /** Depends on the type: names, IDs and states. */
            data: Record<string, never>;
        };
        ExplainedLaunch: {
            id: string;
            account_id: string;
            token_id: string;
            /** `waiting`: It is placed as soon as nothing blocks it, in order of arrival. `placed`: Its instances were launched. `expired`: It was not placed before the end of its wait. `cancelled`: Its account cancelled it. `refused`: It can no longer be placed, for the reason it shows. */
            state: Schemas["LaunchState"];
            instance_type: string;
            /** Null: every one. */
            region: string | null;
            quantity: number;
            /** Per instance; null: no maximum. */
            max_price_cents_per_hour: number | null;
            /** Whether it is for spot instances: it waits behind all that are not. */
            spot: boolean;
            until: string;
            /** Counted from 1, among all launches that wait for GPUs of its model in its region; null when it is over. */
            position: number | null;
            /** When it is expected to be placed; null: not known. */
            expected_at: string | null;
            /** What it waits for; null when it is over. */
            blocked_by: Schemas["LaunchBlocker"] | null;
            /** The same in words, with the spot instances that are being evicted for it. */
            blocked_message: string | null;
            /** Why it was refused. */
            reason: string | null;
            /** Of its instances, once it is placed. */
            instance_ids: string[];
            created_at: string;
            /** Null: it waits. */
            ended_at: string | null;
            /** In words, what it waits for: what comes before it, what each region has, hosts that are kept for it, spot instances that are evicted for it, GPUs that are expected back. Empty when it is over. */
            explanation: string[];
        };
        ExplainedLaunchResponse: {
            data: Schemas["ExplainedLaunch"];
        };
        Failure: {
            /** Stable. */
            code: string;
            message: string;
        };
        Fault: {
            id: number;
            scope: Schemas["FaultScope"];
            target: string | null;
            /** Null: every one. */
            operation: Schemas["FaultOperation"] | null;
            kind: Schemas["FaultKind"];
            /** Null: all. */
            remaining: number | null;
            parameters: Schemas["FaultParameters"];
            created_at: string;
        };
        FaultKind: "refuses" | "unavailable" | "hangs" | "answers-late" | "happens-late" | "loses-answer" | "lies" | "loses-machine" | "forgets-secrets" | "boots-slowly" | "stops-slowly" | "never-boots" | "never-stops" | "repeats-reports" | "reorders-reports" | "loses-reports" | "reports-finding" | "guest-reports-xid" | "guest-is-idle" | "guest-is-silent" | "guest-sends-garbage" | "validation-fails" | "validation-warns" | "validation-hangs" | "validation-prints-garbage" | "host-dies" | "all-hosts-die";
        FaultList: {
            data: Schemas["Fault"][];
        };
        FaultOperation: "hosts" | "create" | "start" | "stop" | "remove" | "inspect" | "list" | "set-inbound" | "write-guest-file" | "remove-file-system" | "console-log" | "open-terminal" | "move" | "remove-copy" | "reset-gpus";
        FaultParameters: {
            /** Format: double. how long */
            seconds?: number;
            /** the code of the error or finding */
            code?: string;
            /** the severity of the finding */
            severity?: string;
            /** the message of the error or finding */
            message?: string;
            /** how often in total */
            copies?: number;
        };
        FaultReport: {
            /**
             * @description What is wrong, in one line of up to 300 characters. Your provider reads it.
             * @example Falls off the bus under load (XID 79)
             */
            text: string;
            /** The GPU, counted from 0 as the driver in the guest does. Default: all of the instance. */
            gpu?: number;
        };
        FaultResponse: {
            data: Schemas["Fault"];
        };
        FaultScope: "everything" | "host" | "machine";
        FieldError: {
            code: string;
            message: string;
        };
        FileSystem: {
            id: string;
            /** @example models */
            name: string;
            /** @example us-east-1 */
            region: string;
            size_gb: number;
            /** The instance it is attached to; the first of several. */
            attached_to: string | null;
            /** All instances it is attached to. */
            instance_ids: string[];
            /** Whether its storage allows several instances at once. False until it is first attached. */
            multi_attach: boolean;
            /** Used storage, as last measured by the engine. */
            bytes_used: number | null;
            /** When its host was declared lost, and its data with it. Null: it was not. A lost one can only be deleted. */
            lost_at: string | null;
            /** Whether an instance that ended with its lost host may still use it: until that host is verified to be off, no other instance can attach it. */
            blocked: boolean;
            created_at: string;
        };
        FileSystemList: {
            data: Schemas["FileSystem"][];
        };
        FileSystemMount: {
            /**
             * @description An absolute path of letters, digits, `.`, `_` and `-`, up to 254 characters, outside of the system's directories and of the mount points of the other file systems.
             * @example /data/models
             */
            mount_point: string;
            /** The id of a file system in the same region. */
            file_system_id: string;
        };
        FileSystemResponse: {
            data: Schemas["FileSystem"];
        };
        FirewallProtocol: "tcp" | "udp" | "icmp" | "all";
        FirewallRule: {
            /** `all` is TCP and UDP; with ports 1 to 65535 it is every protocol. */
            protocol: Schemas["FirewallProtocol"];
            /**
             * @description The first and the last port, both inclusive. Required for every protocol except icmp, which has none.
             * @example [
             *       22,
             *       22
             *     ]
             */
            port_range?: number[];
            /**
             * @description In CIDR notation.
             * @example 0.0.0.0/0
             */
            source_network: string;
            /** @example SSH from anywhere */
            description: string;
        };
        FirewallRules: {
            /** Allowed inbound traffic: traffic that matches at least one rule. */
            data: Schemas["FirewallRule"][];
        };
        FirewallRuleset: {
            id: string;
            /**
             * @description 1 to 64 characters, not unique.
             * @example web servers
             */
            name: string;
            region: Schemas["Region"];
            /** Allowed inbound traffic: traffic that matches at least one rule. */
            rules: Schemas["FirewallRule"][];
            /** Live instances launched with it. */
            instance_ids: string[];
            created_at: string;
        };
        FirewallRulesetList: {
            data: Schemas["FirewallRuleset"][];
        };
        FirewallRulesetResponse: {
            data: Schemas["FirewallRuleset"];
        };
        GetAutoTopUpResponse: {
            data: Schemas["AutoTopUp"] | null;
        };
        GetUsageByDayResponse: {
            data: Schemas["UsageDay"][];
            total: Schemas["UsageTotal"];
        };
        GetUsageByMonthResponse: {
            data: Schemas["UsageMonth"][];
            total: Schemas["UsageTotal"];
        };
        GetUsageResponse: {
            data: Schemas["UsageLine"][];
            total: Schemas["UsageTotal"];
        };
        GivenFirewallRule: {
            /** `all` is TCP and UDP; with ports 1 to 65535 it is every protocol. */
            protocol: Schemas["FirewallProtocol"];
            port_range?: number[] | null;
            /**
             * @description An IPv4 or IPv6 network in CIDR notation, or one address.
             * @example 0.0.0.0/0
             */
            source_network: string;
            /** Up to 128 characters. Default: none. */
            description?: string;
        };
        Gpu: {
            address: string;
            model: string;
            /** 0: unknown to the engine. */
            memory_gib: number;
            numa_node: number;
            healthy: boolean;
            /** `free`: An instance can get it. `held`: It belongs to an instance. `sanitizing`: Its instance is gone, and it is reset before another one can get it. `validating`: A machine of the service checks it, before an instance can get it. `quarantined`: No instance gets it until an operator retests or releases it. */
            state: Schemas["GpuState"];
            /** An estimate from the last resets and validations of the model, rounded up to a whole minute. Null: there is none, because none was measured, or because it is retried or takes longer. */
            back_at: string | null;
            /** Why it is quarantined; null: it is not. */
            reason: string | null;
            /** The last validation that is over; null: none. */
            last_validation: Schemas["LastValidation"] | null;
            /** The instance that uses it. */
            held_by: string | null;
            /** The state of that instance. */
            holder_status: Schemas["InstanceStatus"] | null;
        };
        GpuFault: {
            /** Counted from 0 in the order of the guest's driver. */
            gpu: number;
            /** The number in the catalog of NVIDIA. */
            xid: number;
            meaning: string;
            first_at: string;
            last_at: string;
        };
        GpuPartition: {
            /** @example us-east-1-h100-01 */
            host: string;
            /** The fabric manager's own, unique on its host. */
            id: string;
            /** Addresses of its GPUs, in order. */
            gpus: string[];
            /** `inactive`: It belongs to no instance, and the fabric manager has it inactive. `activating`: An instance or a validation has its GPUs, and waits for the fabric manager. `active`: The fabric manager has it active for the instance or the validation that has its GPUs. `deactivating`: It is, or might be, active for one that is gone, or for none. */
            state: Schemas["GpuPartitionState"];
            /** The instance that has exactly its GPUs. */
            held_by: string | null;
            /** How often its activation or deactivation failed, since its state is so. */
            failures: number;
            /** The version of the fabric manager of its host. */
            fabric_manager: string | null;
            /** The driver branch of that version; null: not known. */
            driver_branch: string | null;
        };
        GpuPartitionList: {
            data: Schemas["GpuPartition"][];
        };
        GpuPartitionState: "inactive" | "activating" | "active" | "deactivating";
        GpuPolicy: {
            /** @example h100_pcie */
            gpu_model: string;
            /** Null: every region that has none of its own. */
            region: string | null;
            /** `none`: It is offered again at once, as the hypervisor leaves it. `reset`: The helper of its host resets it first; if that fails or cannot be verified, it is quarantined. `reset+validate`: As `reset`, and then a machine of the service validates it; if that fails or gives no verdict, it is quarantined. */
            handover: Schemas["Handover"];
            /** How GPUs of the model are validated; null: they are not. */
            validation: Schemas["ValidationPolicy"] | null;
        };
        GpuPolicyList: {
            data: Schemas["GpuPolicy"][];
        };
        GpuPolicyResponse: {
            data: Schemas["GpuPolicy"];
        };
        GpuRelease: {
            /** Whether it has been released. False: nothing was changed. */
            released: boolean;
            /** Its policy resets it, and no reset has come to an end since its last instance: it is reset, and offered when that is verified. */
            reset_before: boolean;
            /** Send it to release the GPU from exactly this quarantine. */
            confirmation: string;
            gpu: Schemas["ListedGpu"];
        };
        GpuReleaseResponse: {
            data: Schemas["GpuRelease"];
        };
        GpuState: "free" | "held" | "sanitizing" | "validating" | "quarantined";
        GuestMetric: "cpu_utilization" | "memory_used" | "memory_size" | "disk_used" | "disk_size" | "gpu_utilization" | "gpu_memory_used" | "gpu_memory_size" | "gpu_temperature" | "gpu_power" | "gpu_ecc_errors";
        GuestUnit: "percent" | "mebibytes" | "celsius" | "watts" | "count";
        Handover: "none" | "reset" | "reset+validate";
        HealthCode: "storage-pool-error" | "disk-space-low" | "clock-skew" | "daemon-restarted" | "certificate-expiring";
        HealthSeverity: "warning" | "critical";
        Host: {
            /** @example us-east-1-h100-01 */
            name: string;
            engine: string;
            region: string;
            vcpus: number;
            memory_gib: number;
            storage_gb: number;
            /** By address. */
            gpus: Schemas["Gpu"][];
            free_vcpus: number;
            free_memory_gib: number;
            free_storage_gb: number;
            /** `up`: It accepts new instances. `cordoned`: It accepts no new instances; existing ones keep running. `draining`: As cordoned, and it is emptied: its operator waits, or its stopped instances move to other hosts. `maintenance`: A maintenance window of it lasts; when that ends, it returns to the state it had before. `lost`: An operator declared that it is gone, and its instances ended. If it returns, what it still runs is removed, and it is cordoned. `unreachable`: Its engine cannot reach it; once it can, the host returns to the state it had before. */
            state: Schemas["HostState"];
            /** Why an operator chose `mode`; null: not said. */
            state_reason: string | null;
            state_since: string;
            /** What operators decided: its state whenever its engine reports it as available. */
            mode: Schemas["HostMode"];
            /** How it is emptied; null: it is not draining. `instances` says how many are left. */
            drain_mode: Schemas["DrainMode"] | null;
            /** The name of the operator's account that decided; null: none did. */
            mode_set_by: string | null;
            /** Whether `mode` keeps new instances away. */
            cordoned: boolean;
            /** Whether its engine reports it as available. */
            available: boolean;
            /** The last time that its engine reached it, while it does not; null while it does. */
            unreachable_since: string | null;
            /** Since when a fence command has verified it to be off; null: none has, or it was reached since. */
            verified_off_since: string | null;
            /** Problems of a host that responds, at most one finding of each code. `since`: since when it has its severity. */
            health: Schemas["HostFinding"][];
            /** The share of the last 30 days in which its engine reached it, or of the time that it is known, rounded down to thousandths. Null: it is known for no time. */
            availability_percent: number | null;
            /** Instances that hold capacity of it. One that moves holds it on both hosts. */
            instances: number;
            /** An operator's note. Empty: none. */
            note: string;
            /** Operators' labels, such as a rack. */
            labels: {
                [key: string]: string;
            };
            /** Overrides of a discovered host by a PUT; null: none. */
            overridden: Schemas["HostOverrides"] | null;
        };
        HostCapacity: {
            /** @example gpu_1x_h100_pcie */
            instance_type: string;
            regions: {
                /** @example us-east-1 */
                region: string;
                /** Hosts in the region; with `selector` those that have its labels. */
                hosts: number;
                /** In the order they are applied. An instance fits if a host passes the last filter. */
                filters: {
                    filter: "not-lost" | "available" | "not-cordoned" | "gpu-model" | "gpus-free" | "vcpus-free" | "memory-free" | "storage-free";
                    /** Hosts that pass this filter and all previous filters. */
                    hosts_left: number;
                }[];
                /** GPUs of its model that no instance can get yet, because they are being reset or validated: by when they are expected back, the soonest first. Only on hosts that accept instances. */
                returning: Schemas["ReturningGpus"][];
            }[];
        };
        HostCapacityList: {
            data: Schemas["HostCapacity"][];
        };
        HostFinding: {
            /** `storage-pool-error`: The storage pool does not exist, is not active or reports an error. `disk-space-low`: The storage pool is nearly full; a full one pauses instances that write. `clock-skew`: The clock of the host differs from the clock of Lessor. `daemon-restarted`: The daemon of the host restarted, or the host did. `certificate-expiring`: A certificate of the connection to the host expires soon; without it the host is unreachable. */
            code: Schemas["HealthCode"];
            severity: Schemas["HealthSeverity"];
            /** What exactly, in one sentence. */
            message: string;
            since: string;
        };
        HostList: {
            data: Schemas["Host"][];
        };
        HostLoss: {
            /** Whether it has been declared lost. False: nothing was changed. */
            declared: boolean;
            /** Send it to declare the host lost, which ends exactly this. */
            confirmation: string;
            unreachable_since: string;
            /** The instances on it, which end. */
            instances: {
                id: string;
                name: string;
                /** The name of its account. */
                account: string;
                status: Schemas["InstanceStatus"];
            }[];
            /** The file systems on its own storage, which are lost. Those on shared storage are not. */
            file_systems: {
                id: string;
                name: string;
                /** The name of its account. */
                account: string;
                size_gb: number;
            }[];
            host: Schemas["Host"];
        };
        HostLossResponse: {
            data: Schemas["HostLoss"];
        };
        HostMode: "up" | "cordoned" | "draining" | "maintenance" | "lost";
        HostOverrides: {
            vcpus: number;
            memory_gib: number;
            storage_gb: number;
            gpus: {
                address: string;
                model: string;
                memory_gib: number;
            }[];
        };
        HostReason: {
            /**
             * @description Reason in one line of up to 300 characters, for other operators.
             * @example PSU 2 is exchanged
             */
            reason?: string;
        };
        HostResponse: {
            data: Schemas["Host"];
        };
        HostState: "up" | "cordoned" | "draining" | "maintenance" | "lost" | "unreachable";
        IdleAction: "notify" | "stop" | "terminate";
        IdleRule: {
            /** So long none of its GPUs is used. */
            minutes: number;
            /** `notify`: An event is recorded, which webhooks deliver. `stop`: It is stopped too. Its data and capacity stay reserved, and billing continues. `terminate`: It is terminated too, with its data. Billing ends. */
            action: Schemas["IdleAction"];
        };
        Image: {
            /** @example ubuntu-24.04-cuda */
            name: string;
            number: number;
            description: string;
            family: string;
            version: string;
            architecture: Schemas["Architecture"];
            login_user: string;
            unsupported_gpu_models: string[];
            jupyter: boolean;
            metrics: boolean;
            /** The driver branch that it needs on boards with NVSwitch; null: each. */
            driver_branch: string | null;
            default: boolean;
            created_at: string;
            updated_at: string;
        };
        ImageList: {
            data: Schemas["Image"][];
        };
        ImageResponse: {
            data: Schemas["Image"];
        };
        Instance: {
            id: string;
            account_id: string;
            /** @example training */
            name: string;
            hostname: string;
            /** The state itself, without the status labels of any variant. */
            status: Schemas["InstanceStatus"];
            health: "ok" | "unreachable";
            /** What it waits for while booting. */
            progress: string | null;
            /** Why it failed to start or was lost. */
            failure: Schemas["Failure"] | null;
            ip: string | null;
            region: Schemas["Region"];
            /** As it was at launch, with its price. */
            instance_type: Schemas["InstanceType"];
            /** As it was at launch. */
            coupon: Schemas["AppliedCoupon"] | null;
            image: {
                name: string;
                number: number;
                description: string;
            };
            login_user: string;
            /**
             * @description How to log in by SSH. `ssh_key`: with one of its SSH keys; `password`: with its password; `unknown`: it has neither, but its command or its user data might have set up a login; `none`: no login: it has no SSH key and no password.
             * @enum {string}
             */
            login: "ssh_key" | "password" | "unknown" | "none";
            /** Whether its machine is simulated: its address does not respond. */
            simulated: boolean;
            ssh_key_names: string[];
            file_system_names: string[];
            file_system_mounts: Schemas["FileSystemMount"][];
            /** The customer's labels. */
            tags: Schemas["Tag"][];
            /** The firewall rulesets it was launched with. */
            firewall_ruleset_ids: string[];
            /** Whether changed firewall rules are not applied to its machine yet. */
            firewall_pending: boolean;
            /** Whether it was launched with environment variables, which are not shown. */
            has_env_vars: boolean;
            /** Whether its image has an agent that reports metrics, which `GET /instances/{id}/metrics` shows. */
            metrics: boolean;
            /** Whether it was launched with user data, which is not shown. */
            has_user_data: boolean;
            /** The token that launched it. */
            token_id: string | null;
            /** Maximum lifetime, counted from when it is billed for the first time (when it is first active or first stopped). Null: no limit. */
            max_lifetime_seconds: number | null;
            /** What happens when its GPUs are not used; null: nothing. */
            idle_rule: Schemas["IdleRule"] | null;
            /** The reservation that pays for it; null: none. */
            reservation_id: string | null;
            /** When its lifetime, or its reservation, ends and it is terminated; null until it is billed. */
            expires_at: string | null;
            /** Whether it is a spot instance, which is evicted when a launch that waits or a reservation needs what it holds. */
            spot: boolean;
            /** When it is evicted, at the end of its notice, or was to be when it ended; null: it is under no notice. */
            evict_at: string | null;
            /** Why it was terminated; null before. `customer`: requested by its account; `operator`: terminated by its provider, for the reason in the event and the audit log; `spend-limit`: the spend limit of its account or of its token was reached; `balance`: the balance of its account was used up; `lifetime`: its max_lifetime_seconds elapsed, or the reservation that paid for it ended; `idle`: its GPUs were not used, and its idle rule says to terminate it; `failure`: it failed to start, or its machine was lost; `host-lost`: its host failed and was declared lost; `preempted`: it is a spot instance, and was evicted for a launch that waited, or for a reservation. */
            ended_by: ("customer" | "operator" | "spend-limit" | "balance" | "lifetime" | "idle" | "failure" | "host-lost" | "preempted") | null;
            /** Millionths of a cent, a whole number. */
            cost_micro_cents: string;
            /** The same in cents, with six fractional digits. */
            cost_cents: string;
            /** Time that the host was unreachable, for longer than the tolerance: not in `seconds`, or with the policy `credit` in both `seconds` and the credit. */
            downtime_seconds: number;
            /** What does not have to be paid of the cost. */
            credit_micro_cents: string;
            /** The share of its time that is no downtime, rounded down to thousandths. Null until it is billed. */
            availability_percent: number | null;
            /** The next or current maintenance of its host. Null: none is scheduled, and always in the response of a launch. */
            maintenance: Schemas["InstanceMaintenance"] | null;
            created_at: string;
            /** When it first became active. Billing started then, unless it was stopped before. */
            active_at: string | null;
            /** When its termination was requested and its billing ended. */
            terminating_at: string | null;
            /** When its resources were completely removed. */
            terminated_at: string | null;
            /** The password of `login_user`. Null if it has none or the instance has ended. Only in a read of one instance, for tokens of its account with the scope `write`. */
            password?: string | null;
            /** The command run at first boot. Only in a read of one instance, for tokens of its account with the scope `write`. */
            command?: string | null;
            engine?: string;
            host?: string;
            gpu_addresses?: string[];
            /** Increases with every action. */
            generation?: number;
            /** Less than `generation` while an operation is in progress. */
            fulfilled_generation?: number;
            /** Attempts of the current operation. */
            attempts?: number;
            /** When it is reconciled next; null if there is nothing to do. */
            next_look_at?: string | null;
            /** Why its operation is stalled. `tried-again`: the engine operation failed or was interrupted, and is being retried; `slow`: the requested state was not reached within three minutes. */
            trouble?: {
                kind: "tried-again" | "slow";
                /** The engine's last message, or what the operation waits for, if known. */
                reason: string | null;
                /** Format: date-time. When the unfinished action was requested. */
                since: string;
            } | null;
            /** Its move to another host, or the last one if that failed; null: none. */
            move?: Schemas["Move"] | null;
        };
        InstanceList: {
            data: Schemas["Instance"][];
        };
        InstanceMaintenance: {
            id: string;
            /** Format: date-time. When it begins. */
            from: string;
            /** Format: date-time. When it ends. */
            to: string;
            /** Why, in the operator's words. */
            reason: string;
            mode: Schemas["MaintenanceMode"];
            /** `scheduled`: It has not begun. `started`: Its host is in maintenance. `ended`: Its host returned to the state it had before, or was lost. `canceled`: An operator canceled it before it began, or its host was gone, or the service did not run while it lasted. */
            phase: Schemas["MaintenancePhase"];
            /** The latest begin that an account can choose for it; null: it cannot be deferred. */
            deferrable_until: string | null;
        };
        InstanceMetrics: {
            /** Format: date-time. Where the first value begins: `from`, rounded down. */
            from: string;
            /** Format: date-time. Where the last value ends. */
            to: string;
            /** The time of each value: `step`, or more if the oldest of them are not stored so finely any more. */
            step_seconds: number;
            /** Empty GPUs are left out: those of which the guest reported nothing. */
            series: Schemas["MetricSeries"][];
            /** Errors of GPUs that mean hardware and were reported since `from`, the last one first. */
            faults: Schemas["GpuFault"][];
        };
        InstanceMetricsResponse: {
            data: Schemas["InstanceMetrics"];
        };
        InstanceOrder: "oldest-first" | "newest-first";
        InstanceResponse: {
            data: Schemas["Instance"];
        };
        InstanceStatus: "booting" | "active" | "stopping" | "stopped" | "terminating" | "terminated";
        InstanceType: {
            /** @example gpu_1x_h100_pcie */
            name: string;
            description: string;
            gpu_model: string | null;
            gpu_description: string;
            gpus: number;
            vcpus: number;
            memory_gib: number;
            storage_gb: number;
            price_cents_per_hour: number;
            /** Of spot instances. Null: it is not offered as spot; and always in an instance, which has one price. */
            spot_price_cents_per_hour: number | null;
            architecture: Schemas["Architecture"];
        };
        InstanceTypeList: {
            data: Schemas["InstanceType"][];
        };
        InstanceTypeResponse: {
            data: Schemas["InstanceType"];
        };
        Invitation: {
            id: string;
            /** @example ada@example.com */
            email: string;
            role: Schemas["TeamRole"];
            created_at: string;
            expires_at: string;
        };
        InvitationList: {
            data: Schemas["Invitation"][];
        };
        Invoice: {
            id: string;
            /** @example INV-2026-000042 */
            number: string;
            /** `usage`: The usage of a closed month, less credits. `top_up`: A payment that was added to the balance. `credit_note`: Takes back an invoice, or a part of it. */
            kind: Schemas["InvoiceKind"];
            account_id: string;
            /**
             * @description That it is accounted to: of usage, the month of the usage.
             * @example 2026-03
             */
            month: string;
            issued_at: string;
            /** Null: nothing is to pay. */
            due_on: string | null;
            /** @example EUR */
            currency: string;
            /** With tax. Of a credit note below zero. */
            total_cents: number;
            /** Without tax. */
            net_cents: number;
            /** The tax. */
            tax_cents: number;
            /** Exact, in millionths of a cent. */
            micro_cents: string;
            /** @example 1900 */
            tax_basis_points: number;
            /** @example VAT */
            tax_label: string;
            tax_note: string | null;
            customer_name: string;
            customer_country: string | null;
            customer_tax_id: string | null;
            /** Of a top-up. */
            ledger_entry_id: string | null;
            /** Of a credit note: its invoice. */
            corrects_id: string | null;
            corrects_number: string | null;
            /** Of a credit note. */
            reason: string | null;
            /** Lines. */
            customer_address: string[];
            seller: Schemas["Seller"];
            lines: Schemas["InvoiceLine"][];
        };
        InvoiceKind: "usage" | "top_up" | "credit_note";
        InvoiceLine: {
            text: string;
            seconds: number | null;
            price_cents_per_hour: number | null;
            discount_basis_points: number | null;
            /** Exact, in millionths of a cent. */
            micro_cents: string;
            total_cents: number;
            net_cents: number;
            tax_cents: number;
            /** Of a credit note: the line of its invoice, from 1. */
            corrects_line: number | null;
        };
        InvoiceResponse: {
            data: Schemas["Invoice"];
        };
        IssueCreditNoteRequest: {
            /**
             * @description Why, in one line. It is on the credit note.
             * @example Outage on March 1
             */
            reason: string;
            /** Default: all that is left of the invoice. */
            lines?: {
                /** Of the invoice, from 1. */
                line: number;
                /** Format: int64. How much of it, with tax. */
                amount_cents: number;
            }[];
        };
        Joined: {
            account: Schemas["Named"];
            member: Schemas["Member"];
            token: Schemas["MadeToken"];
        };
        JoinedResponse: {
            data: Schemas["Joined"];
        };
        LastValidation: {
            at: string;
            /** `passed`: It found nothing. `warned`: It has a warning. `failed`: It found a fault. `unverified`: It gave no verdict. */
            verdict: Schemas["ValidationVerdict"];
        };
        Launch: {
            id: string;
            account_id: string;
            token_id: string;
            state: Schemas["LaunchState"];
            instance_type: string;
            /** Null: every one. */
            region: string | null;
            quantity: number;
            /** Per instance; null: no maximum. */
            max_price_cents_per_hour: number | null;
            /** Whether it is for spot instances: it waits behind all that are not. */
            spot: boolean;
            until: string;
            /** Counted from 1, among all launches that wait for GPUs of its model in its region; null when it is over. */
            position: number | null;
            /** When it is expected to be placed; null: not known. */
            expected_at: string | null;
            /** What it waits for; null when it is over. */
            blocked_by: Schemas["LaunchBlocker"] | null;
            /** The same in words, with the spot instances that are being evicted for it. */
            blocked_message: string | null;
            /** Why it was refused. */
            reason: string | null;
            /** Of its instances, once it is placed. */
            instance_ids: string[];
            created_at: string;
            /** Null: it waits. */
            ended_at: string | null;
        };
        LaunchBlocker: "capacity" | "fleet" | "quota" | "spend-limit" | "price";
        LaunchInstancesRequest: {
            /**
             * @description Required, unless `like` or `reservation_id` is given.
             * @example gpu_1x_h100_pcie
             */
            instance_type?: string;
            /** The id of an instance of your account, also one that has ended: what this body omits is as that instance was launched, with its environment variables and user data. Not copied: its coupon, and, while they are in use, its name and file systems that only one instance can have. */
            like?: string;
            /**
             * @description `any` for the best region with capacity, or the name of a region.
             * @example any
             */
            region?: string;
            /** Number of instances; all or none are launched. Default: 1. */
            quantity?: number;
            /**
             * @description 1 to 64 characters, not unique. Several instances are numbered: `training-1`, `training-2`. Default: the instance type's name and 8 hexadecimal digits.
             * @example training
             */
            name?: string;
            /**
             * @description For tokens with the scope `operator`: only on hosts with these labels, `key=value` or `key`, separated by commas. Default: on any host.
             * @example rack=r12
             */
            host_selector?: string;
            /** All of your own labels. */
            tags?: Schemas["Tag"][];
            /** Name of the image. Default: the operator's default. */
            image?: string;
            /** Of your account. */
            ssh_key_names?: string[];
            /** Of your account, in the region. Only with a quantity of 1. */
            file_system_names?: string[];
            /** File systems and their mount points. A file system that is also listed by name is mounted here. Default: none. */
            file_system_mounts?: Schemas["FileSystemMount"][];
            /** Of your account, in the region. Their rules apply in addition to those of the account. Default: none. */
            firewall_ruleset_ids?: string[];
            /**
             * @description User data for cloud-init, in any of its formats, as plain text of at most 1048576 bytes. It is never shown again. It cannot override what Lessor sets up (login, keys, env, address, file systems).
             * @example #cloud-config
             *     packages: [git]
             */
            user_data?: string;
            /** Written to `~/.env` at every boot, and never shown. The same rules as in M's interface. */
            env_vars?: {
                [key: string]: string;
            };
            /** Run once, at first boot, as root. */
            command?: string;
            coupon?: string;
            /** Without SSH keys: log in with a password, which a read of the instance shows (with the scope `write`). Default: false. */
            password_without_keys?: boolean;
            max_lifetime_seconds?: number | null;
            idle_rule?: Schemas["IdleRule"] | null;
            /** If it cannot be placed now for lack of capacity, a quota or a spend limit, it waits until it can, and the answer is 202. All or nothing, in order of arrival, not billed while it waits, and checked again as a whole when it is placed. */
            wait?: Schemas["Wait"];
            /** The id of an active reservation of your account: its instances use its capacity, cost nothing by themselves, and end with it at the latest. Type and region are its own; neither a coupon nor `spot` nor `wait` goes with it. */
            reservation_id?: string;
            /** Maximum price per instance, before a coupon: nothing is launched if the instance type costs more. Default: no maximum. */
            max_price_cents_per_hour?: number;
            /** Launches spot instances, at the spot price of the type, which must have one. They are evicted, after a notice, when a launch that waits and is not spot needs what they hold. Default: false. */
            spot?: boolean;
        };
        LaunchInstancesResponse: {
            data: {
                launch: Schemas["Launch"];
            };
        };
        LaunchList: {
            data: Schemas["Launch"][];
        };
        LaunchResponse: {
            data: Schemas["Launch"];
        };
        LaunchState: "waiting" | "placed" | "expired" | "cancelled" | "refused";
        LedgerEntry: {
            /** Later entries have greater numbers. */
            id: string;
            account_id: string;
            /** `top_up`: A payment. `usage`: The usage of a month, so far as no earlier entry has it; above zero: it has become less. `credit`: What does not have to be paid of the usage of a month, likewise. `refund`: Money that was paid back. `chargeback`: A payment that the customer's bank took back. `reversal`: A chargeback that was won, or a refund that failed. `voucher`: A voucher that was redeemed. `adjustment`: A correction. */
            kind: Schemas["LedgerKind"];
            /** By how much the balance changed. Millionths of a cent, a whole number. */
            amount_micro_cents: string;
            /** The same in cents, with six fractional digits. */
            amount_cents: string;
            /** The sum of the entries up to this one. Millionths of a cent, a whole number. */
            balance_micro_cents: string;
            /** The same in cents, with six fractional digits. */
            balance_cents: string;
            /** Of usage and credits, in UTC. */
            month: string | null;
            /** Of usage and credits: they count until then. */
            until: string | null;
            /** That of the payment, or the name of the voucher. */
            reference: string | null;
            reason: string | null;
            created_at: string;
        };
        LedgerEntryList: {
            data: Schemas["LedgerEntry"][];
        };
        LedgerEntryResponse: {
            data: Schemas["LedgerEntry"];
        };
        LedgerKind: "top_up" | "usage" | "credit" | "refund" | "chargeback" | "reversal" | "voucher" | "adjustment";
        ListEventsResponse: {
            data: Schemas["Event"][];
            next_cursor: string;
            /** Whether there might be more events now. If true, request the next page immediately. */
            has_more: boolean;
        };
        ListFormat: "json" | "csv";
        ListedGpu: {
            id: string;
            /** @example us-east-1-h100-01 */
            host: string;
            /** @example us-east-1 */
            region: string;
            /** Its address on the host, such as a PCI address. */
            address: string;
            /** @example h100_pcie */
            model: string;
            /** 0: unknown. */
            memory_gib: number;
            /** As its engine reports it. */
            healthy: boolean;
            state: Schemas["GpuState"];
            state_since: string;
            back_at: string | null;
            /** Why it is quarantined, in an operator's words, or by the service: `reset-failed`: The helper of its host could not reset it. `reset-unverified`: Whether it was reset is not known: the helper of its host could not be asked. `partition-active`: Its NVSwitch partition could not be deactivated, or whether it is active is not known. `reported`: A customer reported that it is faulty; the evidence is what the customer wrote. `validation-failed`: The validation found a fault. `validation-warned`: The validation has a warning, and the policy lets none pass. `validation-unverified`: Whether it works is not known: no validation gave a verdict. */
            reason: string | null;
            /** What the helper of its host found, or its validation with the end of its console: untrusted text, at most 16 KiB. */
            evidence: string | null;
            /** The account of the operator who quarantined it; null: the service did, or it is not. */
            quarantined_by: string | null;
            /** Why it is quarantined when its instance is gone; null: it is not. */
            quarantine_next: string | null;
            /** The instance that has it. */
            held_by: string | null;
            /** How often its reset or its validation was tried, since its state is so. */
            attempts: number;
            /** Why it is validated before it is offered; null: it is not. */
            validation_due: Schemas["ValidationCause"] | null;
            /** The last validation that is over; null: none. */
            last_validation: Schemas["LastValidation"] | null;
        };
        ListedGpuList: {
            data: Schemas["ListedGpu"][];
        };
        ListedGpuResponse: {
            data: Schemas["ListedGpu"];
        };
        ListedInvoice: {
            id: string;
            /** @example INV-2026-000042 */
            number: string;
            kind: Schemas["InvoiceKind"];
            account_id: string;
            /**
             * @description That it is accounted to: of usage, the month of the usage.
             * @example 2026-03
             */
            month: string;
            issued_at: string;
            /** Null: nothing is to pay. */
            due_on: string | null;
            /** @example EUR */
            currency: string;
            /** With tax. Of a credit note below zero. */
            total_cents: number;
            /** Without tax. */
            net_cents: number;
            /** The tax. */
            tax_cents: number;
            /** Exact, in millionths of a cent. */
            micro_cents: string;
            /** @example 1900 */
            tax_basis_points: number;
            /** @example VAT */
            tax_label: string;
            tax_note: string | null;
            customer_name: string;
            customer_country: string | null;
            customer_tax_id: string | null;
            /** Of a top-up. */
            ledger_entry_id: string | null;
            /** Of a credit note: its invoice. */
            corrects_id: string | null;
            corrects_number: string | null;
            /** Of a credit note. */
            reason: string | null;
        };
        ListedInvoiceList: {
            data: Schemas["ListedInvoice"][];
        };
        ListedStatement: {
            account_id: string;
            /** @example 2026-03 */
            month: string;
            /** When it became final. Null: the month has not ended, or ended just now. */
            closed_at: string | null;
            /** Number of lines: instances, and reservations. */
            instances: number;
            /** Of all lines. Those of a reservation and those of the instances that it pays for both count. */
            seconds: number;
            /** Millionths of a cent, a whole number. */
            cost_micro_cents: string;
            /** The same in cents, with six fractional digits. */
            cost_cents: string;
            downtime_seconds: number;
            /** What does not have to be paid of the cost. */
            credit_micro_cents: string;
        };
        ListedStatementList: {
            data: Schemas["ListedStatement"][];
        };
        MadeInvitation: {
            id: string;
            /** @example ada@example.com */
            email: string;
            role: Schemas["TeamRole"];
            created_at: string;
            expires_at: string;
            /**
             * @description Shown only once.
             * @example lessor_invite_…
             */
            secret: string;
        };
        MadeInvitationResponse: {
            data: Schemas["MadeInvitation"];
        };
        MadeToken: {
            id: string;
            /** @example ci */
            name: string;
            scopes: Schemas["Scope"][];
            expires_at: string | null;
            revoked_at: string | null;
            /** To the minute. */
            last_used_at: string | null;
            spend_limit_cents: number | null;
            spent_this_month_cents: string | null;
            compatibility_version: Schemas["CompatibilityVersion"] | null;
            /** Null: a token of the team itself. */
            person_id: string | null;
            /** What it may with the scope `operator`. Null: everything, as `operator`. */
            operator_role: Schemas["OperatorRole"] | null;
            created_at: string;
            /**
             * @description Shown only once and not stored.
             * @example lessor_…
             */
            token: string;
        };
        MadeTokenResponse: {
            data: Schemas["MadeToken"];
        };
        MadeVoucher: {
            id: string;
            /** @example Spring 2026 */
            name: string;
            /** For each account that redeems it. */
            amount_cents: number;
            /** How many accounts can redeem it. */
            max_uses: number;
            /** How many have. */
            uses: number;
            /** From then on it cannot be redeemed; null: it does not expire. */
            expires_at: string | null;
            created_at: string;
            /** Only this response has it. */
            code: string;
        };
        MadeVoucherResponse: {
            data: Schemas["MadeVoucher"];
        };
        MadeWebhook: {
            id: string;
            /** @example https://example.com/hooks/lessor */
            url: string;
            /** @example Billing */
            description: string;
            /**
             * @description Types, or globs such as `instance.*`. Empty: all.
             * @example [
             *       "instance.*",
             *       "ssh_key.created"
             *     ]
             */
            event_types: string[];
            active: boolean;
            /** Why it was disabled automatically: no delivery succeeded for a day, or its target responded with 410. */
            disabled_reason: Schemas["DisabledReason"] | null;
            /** Neither delivered nor failed. */
            pending_deliveries: number;
            /** The first failure since the last success. */
            failing_since: string | null;
            /** Of the last attempt. Null if it succeeded or there was none. */
            last_failure: Schemas["WebhookFailure"] | null;
            /** Time of the next attempt after repeated failures. Other deliveries follow when it succeeds. */
            paused_until: string | null;
            /** Until when the previous secret also signs. */
            previous_secret_until: string | null;
            created_at: string;
            /**
             * @description Signs its deliveries. Shown only once.
             * @example whsec_…
             */
            secret: string;
        };
        MadeWebhookResponse: {
            data: Schemas["MadeWebhook"];
        };
        MaintenanceMode: "stop" | "move" | "nothing";
        MaintenancePhase: "scheduled" | "started" | "ended" | "canceled";
        MaintenanceWindow: {
            id: string;
            /** Format: date-time. When it begins. */
            from: string;
            /** Format: date-time. When it ends. */
            to: string;
            /** Why, in the operator's words. */
            reason: string;
            mode: Schemas["MaintenanceMode"];
            phase: Schemas["MaintenancePhase"];
            /** The latest begin that an account can choose for it; null: it cannot be deferred. */
            deferrable_until: string | null;
            /** When an account last deferred it; null: none did. */
            deferred_at: string | null;
            /** The instances on the host; without the operator scope only yours. */
            instance_ids: string[];
            created_at: string;
            started_at: string | null;
            /** When it ended or was canceled. */
            ended_at: string | null;
            /** @example us-east-1-h100-01 */
            host?: string;
            /** Format: uuid. Shared by the windows of one request. */
            group_id?: string;
            /** Increases with every change. */
            revision?: number;
            /** The name of the operator's account. */
            created_by?: string;
            /** The name of the account that last deferred it. */
            deferred_by?: string | null;
        };
        MaintenanceWindowList: {
            data: Schemas["MaintenanceWindow"][];
        };
        MaintenanceWindowResponse: {
            data: Schemas["MaintenanceWindow"];
        };
        Member: {
            /** Format: uuid. Of the person. */
            id: string;
            /** @example Ada */
            name: string;
            /** @example ada@example.com */
            email: string;
            role: Schemas["TeamRole"];
            joined_at: string;
        };
        MemberList: {
            data: Schemas["Member"][];
        };
        MemberResponse: {
            data: Schemas["Member"];
        };
        MetricSeries: {
            /** `cpu_utilization` (percent): Time in which its CPUs were busy, of all of them together. `memory_used` (MiB (2^20 bytes)): Memory in use that cannot be reclaimed. `memory_size` (MiB (2^20 bytes)): The size of its memory. `disk_used` (MiB (2^20 bytes)): Space in use on its root file system. `disk_size` (MiB (2^20 bytes)): The size of its root file system. `gpu_utilization` (percent): Time in which the GPU was busy. `gpu_memory_used` (MiB (2^20 bytes)): Memory of the GPU in use. `gpu_memory_size` (MiB (2^20 bytes)): The size of the memory of the GPU. `gpu_temperature` (degrees Celsius): The temperature of the GPU. `gpu_power` (watts): What the GPU draws. `gpu_ecc_errors` (a count): Uncorrected memory errors since the driver started. */
            metric: Schemas["GuestMetric"];
            unit: Schemas["GuestUnit"];
            /** Which GPU, counted from 0 in the order of the guest's driver. Null: of the instance. */
            gpu: number | null;
            /** One for each step, the first from `from` on. Null: the guest did not report it. */
            values: (number | null)[];
        };
        Move: {
            /** The host that it comes from. */
            from: string;
            /** The new host. */
            to: string;
            /** `copying`: Its disk is being copied; a restart takes effect when the copy is complete. `moved`: It starts only on its new host; the old copy stays until it has started there once. `removing-source`: It has started on its new host, and the old copy is being removed. `removing-target`: The move was given up, and what was copied is being removed. `failed`: The move was given up; the instance is where it was. */
            phase: Schemas["MovePhase"];
            /** Of its disk, on the new host. */
            copied_bytes: number;
            /** 0: not known yet. */
            total_bytes: number;
            began_at: string;
            /** The operator's; null: not said. */
            reason: string | null;
            /** Why the move was given up. */
            failure: Schemas["Failure"] | null;
        };
        MoveOrder: {
            /**
             * @description The new host: of the same engine and region. Default: the best one with capacity.
             * @example us-east-1-h100-02
             */
            host?: string;
            /**
             * @description Reason in one line of up to 300 characters, for other operators.
             * @example Fans are exchanged
             */
            reason?: string;
        };
        MovePhase: "copying" | "moved" | "removing-source" | "removing-target" | "failed";
        Named: {
            id: string;
            /** @example acme */
            name: string;
        };
        NewFault: {
            scope: Schemas["FaultScope"];
            /** Null: none, for everything. */
            target?: string | null;
            /** Null: what is usual for the kind. */
            operation?: Schemas["FaultOperation"] | null;
            /** See the reference of faults. */
            kind: Schemas["FaultKind"];
            /** How many calls it affects. Null: all. */
            remaining?: number | null;
            parameters?: Schemas["FaultParameters"];
        };
        NoCostReason: "reservation" | "preempted";
        Nothing: Record<string, never>;
        NothingResponse: {
            data: Schemas["Nothing"];
        };
        Offer: {
            instance_type: Schemas["InstanceType"];
            /** Number of instances that fit now, in all regions together. */
            available: number;
            /** All regions, by name, also those without capacity. */
            regions: Schemas["RegionOfOffer"][];
        };
        OfferList: {
            data: Schemas["Offer"][];
        };
        OperatorRole: "operator" | "support" | "finance" | "read-only";
        OwnAccount: {
            id: string;
            /** @example acme */
            name: string;
            status: Schemas["AccountStatus"];
            quotas: Schemas["Counts"];
            /** Current usage that counts toward the quotas. */
            used: Schemas["Counts"];
            spend_limit_cents: number | null;
            spent_this_month_cents: string | null;
            max_lifetime_seconds: number | null;
            payment_terms: Schemas["PaymentTerms"];
            credit_line_cents: number | null;
            contact_email: string | null;
            /** The kinds of emails that the account does not get. */
            disabled_emails: Schemas["EmailKind"][];
            /** On hold: it launches nothing. */
            held_since: string | null;
            created_at: string;
            /** The token of this request. */
            token: {
                id: string;
                scopes: Schemas["Scope"][];
                compatibility_version: Schemas["CompatibilityVersion"] | null;
                /** What it may with the scope `operator`. Null: everything, as `operator`. */
                operator_role: Schemas["OperatorRole"] | null;
            };
            /** Whose token this is. Null: a token of the team itself. */
            person: Schemas["Member"] | null;
        };
        OwnAccountResponse: {
            data: Schemas["OwnAccount"];
        };
        Payment: {
            id: string;
            account_id: string;
            amount_cents: number;
            /** @example usd */
            currency: string;
            /** `created`: The provider is not known to have it yet. `pending`: The customer has to pay at `checkout_url`. `processing`: Ordered by a method that takes days, such as a bank debit. `paid`: The money arrived, and the balance has it. `failed`: Declined, or refused by the provider. `expired`: Not paid in time. `canceled`: Canceled at the provider. */
            status: Schemas["PaymentStatus"];
            /** Why it failed. */
            failure: string | null;
            /** Where it is paid. Null: not known yet, or it cannot be paid any more. */
            checkout_url: string | null;
            /** What auto top-up charges. Null: the customer pays. */
            payment_method_id: string | null;
            provider: "stripe";
            /** The provider's id, which the ledger has as reference. */
            provider_payment_id: string | null;
            /** Also if that is over. */
            disputed: boolean;
            created_at: string;
            paid_at: string | null;
        };
        PaymentList: {
            data: Schemas["Payment"][];
        };
        PaymentMethod: {
            id: string;
            /** `created`: The provider is not known to have its page yet. `pending`: The customer has to enter it at `checkout_url`. `saved`: It can be charged. `failed`: Not entered in time, or refused by the provider. */
            status: Schemas["PaymentMethodStatus"];
            /** The one that was saved last. */
            is_default: boolean;
            /** Of a card, or another kind of method. */
            brand: string | null;
            last4: string | null;
            exp_month: number | null;
            exp_year: number | null;
            /** Where it is entered. Null: not known yet, or it cannot be any more. */
            checkout_url: string | null;
            created_at: string;
        };
        PaymentMethodList: {
            data: Schemas["PaymentMethod"][];
        };
        PaymentMethodResponse: {
            data: Schemas["PaymentMethod"];
        };
        PaymentMethodStatus: "created" | "pending" | "saved" | "failed";
        PaymentResponse: {
            data: Schemas["Payment"];
        };
        PaymentStatus: "created" | "pending" | "processing" | "paid" | "failed" | "expired" | "canceled";
        PaymentTerms: "prepaid" | "postpaid";
        PutAutoTopUpRequest: {
            threshold_cents: number;
            /** The service has limits of its own. */
            amount_cents: number;
            monthly_cap_cents: number;
            /** By default, the default. */
            payment_method_id?: string;
        };
        PutCouponRequest: {
            /** Format: double. 10 means ten percent; at most two decimals. */
            discount_percent: number;
            /** Format: date-time. Expiration. ISO 8601 with time and offset. */
            deactivation_date: string;
            /** Names of the instance types it applies to; duplicates count once. Default: empty, which means all. */
            instance_types?: string[];
            /** Whether the coupon can be used. Default: true. */
            active?: boolean;
        };
        PutGpuPolicyRequest: {
            /** Only in this region. Default: every region that has none of its own. */
            region?: string;
            handover: Schemas["Handover"];
            validation?: {
                /** The image that the machine boots, by its name in the settings of the engine. */
                image: string;
                /** At each so many handovers with `reset+validate`. Default: 1. */
                every?: number;
                /** Until its verdict. Default: 600. */
                deadline_seconds?: number;
                /** How often one that gives no verdict is tried. Default: 3. */
                attempts?: number;
                /** What a warning means. Default: pass. */
                warning?: Schemas["WarningMeaning"];
                /** A new GPU is validated again and again for so long before its first rental. Default: 0. */
                burn_in_hours?: number;
                /** Of the machine. Default: 4. */
                vcpus?: number;
                /** Of the machine. Default: 16. */
                memory_gib?: number;
                /** Of the machine. Default: 20. */
                storage_gb?: number;
            };
        };
        PutHostRequest: {
            /**
             * @description The engine that runs its machines.
             * @example simulated
             */
            engine: string;
            /**
             * @description The name of a region.
             * @example us-east-1
             */
            region: string;
            vcpus: number;
            memory_gib: number;
            storage_gb: number;
            /** Default: none. */
            gpus?: {
                /**
                 * @description Its address on the host, such as a PCI address. Unique on the host.
                 * @example 0000:17:00.0
                 */
                address: string;
                /**
                 * @description 1 to 64 printable ASCII characters, without space at the ends.
                 * @example h100_pcie
                 */
                model: string;
                /** 0, for a discovered host only: as discovered. */
                memory_gib: number;
                /** Default: 0. */
                numa_node?: number;
            }[];
        };
        PutImageRequest: {
            /** The image's identifier in variant D. Unique. */
            number: number;
            /**
             * @description Default: the name.
             * @example Ubuntu 24.04 with CUDA 13
             */
            description?: string;
            /**
             * @description Default: the name.
             * @example ubuntu
             */
            family?: string;
            /**
             * @description Free text. Default: empty.
             * @example 24.04.2
             */
            version?: string;
            /** Runs only on instance types of the same architecture. Default: `x86_64`. */
            architecture?: Schemas["Architecture"];
            /**
             * @description The user to log in as. Default: `ubuntu`.
             * @example ubuntu
             */
            login_user?: string;
            /** GPU models of instance types that the image cannot run on. Default: none. */
            unsupported_gpu_models?: string[];
            /** Whether the image serves Jupyter with the token that each instance is given. Default: false. */
            jupyter?: boolean;
            /** Whether the image has the agent that reports metrics from inside the guest, as images of `lessor image build --metrics` have: only instances of such images are read. Default: false. */
            metrics?: boolean;
            /** The branch of its GPU driver. On boards with NVSwitch it runs only where the fabric manager has the same. Default: null, each. */
            driver_branch?: string | null;
            /** Whether launches without an image use this one. Only one image is the default. Default: false. */
            default?: boolean;
        };
        PutInstanceTypeRequest: {
            /**
             * @description Default: the name.
             * @example 1x H100 (80 GB PCIe)
             */
            description?: string;
            /** The model name that hosts report. Null (the default) for a type without GPUs. */
            gpu_model?: string | null;
            /**
             * @description Default: the GPU model, or `N/A` without GPUs.
             * @example H100 (80 GB PCIe)
             */
            gpu_description?: string;
            /** Default: 0. */
            gpus?: number;
            vcpus: number;
            memory_gib: number;
            storage_gb: number;
            price_cents_per_hour: number;
            /** Of spot instances, which are evicted for launches that wait and for reservations; at most the price. Null (the default): no spot. */
            spot_price_cents_per_hour?: number | null;
            /** Images of the same architecture run on it. Default: `x86_64`. */
            architecture?: Schemas["Architecture"];
        };
        PutRegionRequest: {
            /**
             * @description Shown to customers. Default: the name.
             * @example Virginia, USA
             */
            description?: string;
        };
        QuarantineGpuRequest: {
            /**
             * @description Reason in one line of up to 300 characters, for other operators.
             * @example Row remapping failure
             */
            reason: string;
        };
        Quotas: {
            instances?: number;
            gpus?: number;
            vcpus?: number;
            ssh_keys?: number;
            file_systems?: number;
        };
        Quote: {
            /** @example gpu_1x_h100_pcie */
            instance_type: string;
            /** The requested region. Null means any region. */
            region: string | null;
            quantity: number;
            /** Whether it is for spot instances. */
            spot: boolean;
            /** For one instance, before a coupon. */
            list_price_cents_per_hour: number;
            coupon: Schemas["AppliedCoupon"] | null;
            hourly: Schemas["QuotedCost"];
            monthly: Schemas["QuotedCost"];
            /** Whether all of them fit now, in one region. */
            fits: boolean;
            /** The region of the launch; null if they do not fit. */
            region_chosen: string | null;
            /** Regions with capacity for all of them, by name. */
            fits_in: Schemas["RegionWithRoom"][];
            /** If it does not fit: GPUs of its model that no instance can get yet, because they are being reset or validated: by when they are expected back, the soonest first. Only on hosts that accept instances. */
            returning: Schemas["ReturningGpusOfRegion"][];
            /** Names of the launch that your live instances already have. Names need not be unique. */
            names_in_use: string[];
        };
        QuoteResponse: {
            data: Schemas["Quote"];
        };
        QuotedCost: {
            before_discount: Schemas["Cost"];
            /** With the coupon, if any. */
            after: Schemas["Cost"];
        };
        Reason: {
            /**
             * @description Reason in one line of up to 300 characters, shown in the event and the audit log. Required for operators.
             * @example Scheduled maintenance of the host
             */
            reason?: string;
        };
        RedeemVoucherRequest: {
            /** @example 7KQ2M-X9TRA-4W7EH-PDN3V */
            code: string;
        };
        Refund: {
            /** Null: it was not ordered here. */
            id: string | null;
            payment_id: string;
            account_id: string;
            amount_cents: number;
            /** `created`: The provider is not known to have it yet. `pending`: On its way; it has left the balance. `succeeded`: Paid back. `failed`: Not paid back; the balance has it. */
            status: Schemas["RefundStatus"];
            /** Why it failed. */
            failure: string | null;
            reason: string | null;
            /** The provider's id, which the ledger has as reference. */
            provider_refund_id: string | null;
            created_at: string;
        };
        RefundAccountRequest: {
            /** What is paid back. */
            amount_cents: number;
            /**
             * @description That of the transfer. 1 to 140 characters on one line, without space at the ends. Each counts once.
             * @example RF18 5390 0754 7034
             */
            reference: string;
            /**
             * @description Why, in one line of up to 200 characters. The account reads it.
             * @example The account is closed
             */
            reason: string;
        };
        RefundList: {
            data: Schemas["Refund"][];
        };
        RefundPaymentRequest: {
            /** Without it: all that is left. */
            amount_cents?: number;
            /**
             * @description Why, in one line of up to 200 characters. The account reads it.
             * @example Paid twice
             */
            reason: string;
        };
        RefundResponse: {
            data: Schemas["Refund"];
        };
        RefundStatus: "created" | "pending" | "succeeded" | "failed";
        Region: {
            /** @example us-east-1 */
            name: string;
            /** @example Ashburn, Virginia */
            description: string;
        };
        RegionList: {
            data: Schemas["Region"][];
        };
        RegionOfOffer: {
            /** @example us-east-1 */
            name: string;
            description: string;
            /** Number of instances of the type that fit there now. */
            available: number;
            /** Whether any host there can run the type: false if the region does not have the GPU model. */
            offered: boolean;
            returning: Schemas["ReturningGpus"][];
        };
        RegionResponse: {
            data: Schemas["Region"];
        };
        RegionWithRoom: {
            /** @example us-east-1 */
            name: string;
            description: string;
            /** Number of instances of the type that fit there now. */
            available: number;
        };
        ReleaseGpuRequest: {
            /**
             * @description From the response without it. Omitted: nothing is changed.
             * @example 5f0c2b1e9a7d4c36
             */
            confirmation?: string;
        };
        ReplaceFirewallRulesRequest: {
            /** Allowed inbound traffic: traffic that matches at least one rule. */
            rules: Schemas["GivenFirewallRule"][];
        };
        Replica: {
            id: string;
            /**
             * @description Hostname of the replica.
             * @example lessor-1
             */
            host: string;
            /** Process ID of the replica. */
            pid: number;
            /** @example 1.0.0 */
            version: string;
            started_at: string;
            seen_at: string;
            /**
             * @description IDs of its encryption keys.
             * @example [
             *       "9f2c61d4"
             *     ]
             */
            key_ids: string[];
            /**
             * @description ID of the key it encrypts with.
             * @example 9f2c61d4
             */
            current_key_id: string;
        };
        ReplicaList: {
            data: Schemas["Replica"][];
        };
        ReportedFault: {
            instance_id: string;
            reported_at: string;
            /** How many of its GPUs leave service when the instance ends. */
            gpus: number;
            /** Seconds of its bill that this report credited. */
            credited_seconds: number;
        };
        ReportedFaultResponse: {
            data: Schemas["ReportedFault"];
        };
        ReservableRegion: {
            region: string;
            available: number;
        };
        Reservation: {
            id: string;
            account_id: string;
            /** Format: uuid. The token that made it, whose spend limit counts. */
            token_id: string;
            name: string;
            /** `scheduled`: It has not begun; its capacity is promised to it. `active`: Launches can use it, and it is billed, used or not. `ended`: It lasted until its end. `cancelled`: It was cancelled before it began, and costs nothing. `unfulfilled`: It could not begin, because hosts failed, and costs nothing. */
            state: Schemas["ReservationState"];
            /** Its instances are of this type as it was when the reservation was made. */
            instance_type: string;
            region: string;
            quantity: number;
            /** How many instances use it. */
            used: number;
            /** How many of its quantity cannot be used now, because hosts failed. It is credited if it takes long. */
            undelivered: number;
            /** Format: date-time. When it begins. */
            from: string;
            /** Format: date-time. When it ends, and its instances with it. */
            to: string;
            /** Of one, as it was when the reservation was made. */
            price_cents_per_hour: number;
            /** Millionths of a cent, a whole number. */
            cost_micro_cents: string;
            /** The same in cents, with six fractional digits. */
            cost_cents: string;
            /** What does not have to be paid of the cost. */
            credit_micro_cents: string;
            /** Why it is unfulfilled. */
            reason: string | null;
            created_at: string;
            /** When it began; null: it has not. It is billed from then on. */
            started_at: string | null;
            /** When it was over; null: it is not. */
            ended_at: string | null;
            /** Where its capacity is, until it is over. */
            hosts?: Schemas["ReservedHost"][];
            /** Since when hosts cannot keep what is promised, and no others can; null: they can. */
            at_risk_since?: string | null;
        };
        ReservationCalendar: {
            instance_type: string;
            /** By name. */
            regions: Schemas["CalendarRegion"][];
        };
        ReservationCalendarResponse: {
            data: Schemas["ReservationCalendar"];
        };
        ReservationList: {
            data: Schemas["Reservation"][];
        };
        ReservationOrder: {
            /**
             * @description 1 to 64 characters, not unique. Default: the instance type's name and 8 hexadecimal digits.
             * @example training-week
             */
            name?: string;
            /** @example gpu_1x_h100_pcie */
            instance_type: string;
            /**
             * @description `any` for the best region with capacity, or the name of a region.
             * @example any
             */
            region?: string;
            /** How many instances, all in one region. Default: 1. */
            quantity?: number;
            /** Format: date-time. When it begins: up to 90 days ahead, unless the operator has set others. Default: now. ISO 8601 with time and offset. */
            from?: string;
            /** Format: date-time. When it ends: 60 minutes to 90 days later, unless the operator has set others. ISO 8601 with time and offset. */
            to: string;
        };
        ReservationQuote: {
            instance_type: string;
            quantity: number;
            from: string;
            to: string;
            /** Of one. */
            price_cents_per_hour: number;
            /** Millionths of a cent, a whole number. */
            cost_micro_cents: string;
            /** The same in cents, with six fractional digits. */
            cost_cents: string;
            /** Until when it can be cancelled: its begin, less the notice that the operator has set. Null: it begins too soon for that. */
            cancellable_until: string | null;
            /** Whether hosts surely have the capacity then, in one region, as of now. */
            fits: boolean;
            /** Where it would be; null: it does not fit. */
            region: string | null;
            /** If it does not fit: from when on it would, for as long; null: not known. */
            fits_from: string | null;
            /** If it does not fit: how many do then, by region. */
            fits_in: Schemas["ReservableRegion"][];
        };
        ReservationQuoteResponse: {
            data: Schemas["ReservationQuote"];
        };
        ReservationResponse: {
            data: Schemas["Reservation"];
        };
        ReservationState: "scheduled" | "active" | "ended" | "cancelled" | "unfulfilled";
        ReservedHost: {
            host: string;
            /** How many of its instances the host is promised for. */
            slots: number;
            /** How many of them are in use. */
            used: number;
            /** How many of them cannot be used, because of the host. */
            undelivered: number;
        };
        RetireEncryptionKeyRequest: {
            /**
             * @description The id of an old key.
             * @example 41d0aa7e
             */
            key_id: string;
        };
        ReturningGpus: {
            /** How many are back then. */
            gpus: number;
            back_at: string | null;
        };
        ReturningGpusOfRegion: {
            /** @example us-east-1 */
            region: string;
            /** How many are back then. */
            gpus: number;
            back_at: string | null;
        };
        RotateEncryptionRequest: Record<string, never>;
        RotateWebhookSecretRequest: {
            /** How long the current secret also signs; 0: all previous secrets stop signing. Default: 86400, a day. */
            overlap_seconds?: number;
        };
        Rotation: {
            /**
             * @description `incomplete`: it has ended with an error; see `problem`.
             * @enum {string}
             */
            state: "running" | "done" | "incomplete";
            /** Whether a new key is created for it. */
            makes_key: boolean;
            /** The key that everything is re-encrypted with. Null until a new key is in use. */
            key_id: string | null;
            /** Format: int64. Number of re-encrypted values. */
            resealed: number;
            asked_at: string;
            finished_at: string | null;
            /** What it waits for, or why it is incomplete. */
            problem: string | null;
        };
        RotationResponse: {
            data: Schemas["Rotation"];
        };
        ScheduleMaintenanceRequest: {
            /** The host. Either this or `selector`. */
            host?: string;
            /**
             * @description All hosts with these labels, up to 1000, except lost ones: `key=value` or `key`, separated by commas.
             * @example rack=r12
             */
            selector?: string;
            /** Format: date-time. When it begins: now, or up to a year ahead. ISO 8601 with time and offset. */
            from: string;
            /** Format: date-time. When it ends, up to 30 days later. ISO 8601 with time and offset. */
            to: string;
            /**
             * @description Reason in one line of up to 300 characters. Accounts with instances on the host read it.
             * @example New firmware of the GPUs
             */
            reason: string;
            mode: Schemas["MaintenanceMode"];
            /** The latest begin that accounts can choose. Default: null, which is none. */
            deferrable_until?: string | null;
        };
        Scope: "read" | "write" | "operator";
        Seller: {
            name: string;
            /** Lines. */
            address: string[];
            country: string | null;
            tax_id: string | null;
            registration: string | null;
            /** Lines. */
            bank: string[];
        };
        SendTestEmailRequest: {
            /**
             * @description Default: the contact address of your account.
             * @example ops@acme.example
             */
            to?: string;
        };
        Session: {
            id: string;
            /** It sent this request. */
            current: boolean;
            /** Of the client that signed in. */
            address: string | null;
            user_agent: string | null;
            created_at: string;
            last_used_at: string;
            expires_at: string;
        };
        SessionList: {
            data: Schemas["Session"][];
        };
        SshKey: {
            id: string;
            /** @example laptop */
            name: string;
            /** One line, as in an authorized_keys file. */
            public_key: string;
            /** SHA-256, as `ssh-keygen -l` shows it. */
            fingerprint: string;
            created_at: string;
        };
        SshKeyList: {
            data: Schemas["SshKey"][];
        };
        Statement: {
            /** Null for all accounts. */
            account_id: string | null;
            /** @example 2026-03 */
            month: string;
            /** When it became final. Null: the month has not ended, or ended just now. */
            closed_at: string | null;
            /** Number of lines: instances, and reservations. */
            instances: number;
            /** Of all lines. Those of a reservation and those of the instances that it pays for both count. */
            seconds: number;
            /** Millionths of a cent, a whole number. */
            cost_micro_cents: string;
            /** The same in cents, with six fractional digits. */
            cost_cents: string;
            downtime_seconds: number;
            /** What does not have to be paid of the cost. */
            credit_micro_cents: string;
            lines: Schemas["StatementLine"][];
        };
        StatementLine: {
            account_id: string;
            /** @example 2026-03 */
            month: string;
            /** Null: the line is of a reservation. */
            instance_id: string | null;
            /** Or that of the reservation. */
            instance_name: string;
            instance_type: string;
            region: string;
            /** Of a reservation: those of all its quantity, used or not. */
            seconds: number;
            /** Before the discount. */
            price_cents_per_hour: number;
            /** Format: double */
            discount_percent: number;
            coupon: string | null;
            /** Millionths of a cent, a whole number. */
            cost_micro_cents: string;
            /** The same in cents, with six fractional digits. */
            cost_cents: string;
            downtime_seconds: number;
            /** What does not have to be paid of the cost. */
            credit_micro_cents: string;
            /** The reservation that the line is of; null: it is of an instance. */
            reservation_id: string | null;
            /** How many the reservation is for; of an instance, 1. */
            quantity: number;
            /** Why an instance costs nothing, whatever its price; null: it is billed. */
            no_cost_reason: Schemas["NoCostReason"] | null;
        };
        StatementResponse: {
            data: Schemas["Statement"];
        };
        SwitchTeam: {
            /** Format: uuid. Its id. */
            team: string;
        };
        Tag: {
            /**
             * @description 1 to 64 characters without `=`, `,` and `\`; each once.
             * @example team
             */
            key: string;
            /**
             * @description Up to 256 characters.
             * @example vision
             */
            value: string;
        };
        Team: {
            id: string;
            /** @example acme */
            name: string;
            role: Schemas["TeamRole"];
        };
        TeamList: {
            data: Schemas["Team"][];
        };
        TeamRole: "owner" | "admin" | "member" | "billing" | "viewer";
        Token: {
            id: string;
            /** @example ci */
            name: string;
            scopes: Schemas["Scope"][];
            expires_at: string | null;
            revoked_at: string | null;
            /** To the minute. */
            last_used_at: string | null;
            spend_limit_cents: number | null;
            spent_this_month_cents: string | null;
            compatibility_version: Schemas["CompatibilityVersion"] | null;
            /** Null: a token of the team itself. */
            person_id: string | null;
            /** What it may with the scope `operator`. Null: everything, as `operator`. */
            operator_role: Schemas["OperatorRole"] | null;
            created_at: string;
        };
        TokenList: {
            data: Schemas["Token"][];
        };
        TokenResponse: {
            data: Schemas["Token"];
        };
        TopUpAccountRequest: {
            /** What arrived. */
            amount_cents: number;
            /**
             * @description That of the transfer, as your bank shows it. 1 to 140 characters on one line, without space at the ends. Each counts once.
             * @example RF18 5390 0754 7034
             */
            reference: string;
        };
        UsageDay: {
            /**
             * Format: date
             * @example 2026-03-01
             */
            day: string;
            account_id: string;
            /** With `per=instance`, unless it is a reservation; otherwise null. */
            instance_id: string | null;
            instance_name: string | null;
            /** Of all its instances and reservations. Those of a reservation and those of the instances that it pays for both count. */
            seconds: number;
            /** Millionths of a cent, a whole number. */
            cost_micro_cents: string;
            /** The same in cents, with six fractional digits. */
            cost_cents: string;
            /** With `per=instance_type`; otherwise null. */
            instance_type: string | null;
            /** With `per=token`: the token that launched the instances, null if unknown. Otherwise null. */
            token_id: string | null;
            /** Number of instances with usage. An instance used on two days counts in both. A reservation counts as one. */
            instances: number;
            downtime_seconds: number;
            /** What does not have to be paid of the cost. */
            credit_micro_cents: string;
            /** With `per=instance`, if it is a reservation; otherwise null. */
            reservation_id: string | null;
        };
        UsageLine: {
            account_id: string;
            /** Null: the line is of a reservation. */
            instance_id: string | null;
            /** Or that of the reservation. */
            instance_name: string;
            instance_type: string;
            region: string;
            /** Format: date-time. When it was first active, or first stopped; a reservation: when it began. */
            started_at: string;
            /** When its termination was requested; null while it is rented. */
            ended_at: string | null;
            /** Of a reservation: those of all its quantity, used or not. */
            seconds: number;
            /** Before the discount. */
            price_cents_per_hour: number;
            /** Format: double */
            discount_percent: number;
            coupon: string | null;
            /** Millionths of a cent, a whole number. */
            cost_micro_cents: string;
            /** The same in cents, with six fractional digits. */
            cost_cents: string;
            /** The token that launched it, also after it was revoked; null if unknown. */
            token_id: string | null;
            downtime_seconds: number;
            /** What does not have to be paid of the cost. */
            credit_micro_cents: string;
            /** The reservation that the line is of; null: it is of an instance. */
            reservation_id: string | null;
            /** How many the reservation is for; of an instance, 1. */
            quantity: number;
            /** Why an instance costs nothing, whatever its price; null: it is billed. */
            no_cost_reason: Schemas["NoCostReason"] | null;
        };
        UsageMonth: {
            /** @example 2026-03 */
            month: string;
            account_id: string;
            /** With `per=instance`, unless it is a reservation; otherwise null. */
            instance_id: string | null;
            instance_name: string | null;
            /** Of all its instances and reservations. Those of a reservation and those of the instances that it pays for both count. */
            seconds: number;
            /** Millionths of a cent, a whole number. */
            cost_micro_cents: string;
            /** The same in cents, with six fractional digits. */
            cost_cents: string;
            /** With `per=instance_type`; otherwise null. */
            instance_type: string | null;
            /** With `per=token`: the token that launched the instances, null if unknown. Otherwise null. */
            token_id: string | null;
            /** Number of instances with usage. An instance used on two days counts in both. A reservation counts as one. */
            instances: number;
            downtime_seconds: number;
            /** What does not have to be paid of the cost. */
            credit_micro_cents: string;
            /** With `per=instance`, if it is a reservation; otherwise null. */
            reservation_id: string | null;
        };
        UsagePart: "account" | "instance" | "instance_type" | "token";
        UsageTotal: {
            /** Millionths of a cent, a whole number. */
            cost_micro_cents: string;
            /** The same in cents, with six fractional digits. */
            cost_cents: string;
            /** What does not have to be paid of the cost. */
            credit_micro_cents: string;
        };
        ValidationCause: "handover" | "burn-in" | "operator";
        ValidationPolicy: {
            image: string;
            every: number;
            /** Format: double */
            deadline_seconds: number;
            attempts: number;
            warning: Schemas["WarningMeaning"];
            burn_in_hours: number;
            vcpus: number;
            memory_gib: number;
            storage_gb: number;
        };
        ValidationVerdict: "passed" | "warned" | "failed" | "unverified";
        Voucher: {
            id: string;
            /** @example Spring 2026 */
            name: string;
            /** For each account that redeems it. */
            amount_cents: number;
            /** How many accounts can redeem it. */
            max_uses: number;
            /** How many have. */
            uses: number;
            /** From then on it cannot be redeemed; null: it does not expire. */
            expires_at: string | null;
            created_at: string;
        };
        VoucherList: {
            data: Schemas["Voucher"][];
        };
        Wait: {
            /** Format: date-time. When it expires: in the future, and within 30 days, unless the operator has set others. ISO 8601 with time and offset. */
            until: string;
            max_price_cents_per_hour?: number;
        };
        WarningMeaning: "pass" | "quarantine";
        Webhook: {
            id: string;
            /** @example https://example.com/hooks/lessor */
            url: string;
            /** @example Billing */
            description: string;
            /**
             * @description Types, or globs such as `instance.*`. Empty: all.
             * @example [
             *       "instance.*",
             *       "ssh_key.created"
             *     ]
             */
            event_types: string[];
            active: boolean;
            /** Why it was disabled automatically: no delivery succeeded for a day, or its target responded with 410. */
            disabled_reason: Schemas["DisabledReason"] | null;
            /** Neither delivered nor failed. */
            pending_deliveries: number;
            /** The first failure since the last success. */
            failing_since: string | null;
            /** Of the last attempt. Null if it succeeded or there was none. */
            last_failure: Schemas["WebhookFailure"] | null;
            /** Time of the next attempt after repeated failures. Other deliveries follow when it succeeds. */
            paused_until: string | null;
            /** Until when the previous secret also signs. */
            previous_secret_until: string | null;
            created_at: string;
        };
        WebhookFailure: {
            error: Schemas["AttemptError"];
            /** Null if there was no response. */
            status_code: number | null;
        };
        WebhookList: {
            data: Schemas["Webhook"][];
        };
        WebhookResponse: {
            data: Schemas["Webhook"];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getOwnAccount: {
        responses: Failures & {
            200: Json<Schemas["OwnAccountResponse"]>;
        };
    };
    changeOwnAccount: {
        requestBody: Json<Schemas["ChangeOwnAccountRequest"]>;
        responses: Failures & {
            200: Json<Schemas["OwnAccountResponse"]>;
        };
    };
    listTokens: {
        parameters: {
            query?: Page;
        };
        responses: Failures & {
            200: Json<Schemas["TokenList"]>;
        };
    };
    createToken: {
        parameters: {
            header?: Retried;
        };
        requestBody: Json<Schemas["CreateToken"]>;
        responses: Failures & {
            200: Json<Schemas["MadeTokenResponse"]>;
        };
    };
    revokeToken: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
        };
    };
    changeToken: {
        parameters: {
            path: ById;
        };
        requestBody: Json<Schemas["ChangeToken"]>;
        responses: Failures & {
            200: Json<Schemas["TokenResponse"]>;
        };
    };
    listMembers: {
        parameters: {
            query?: Page;
        };
        responses: Failures & {
            200: Json<Schemas["MemberList"]>;
        };
    };
    removeMember: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
        };
    };
    changeMember: {
        parameters: {
            path: ById;
        };
        requestBody: Json<Schemas["ChangeMember"]>;
        responses: Failures & {
            200: Json<Schemas["MemberResponse"]>;
        };
    };
    listAccountMembers: {
        parameters: {
            query?: Page;
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["MemberList"]>;
        };
    };
    listInvitations: {
        parameters: {
            query?: Page;
        };
        responses: Failures & {
            200: Json<Schemas["InvitationList"]>;
        };
    };
    createInvitation: {
        parameters: {
            header?: Retried;
        };
        requestBody: Json<Schemas["CreateInvitation"]>;
        responses: Failures & {
            200: Json<Schemas["MadeInvitationResponse"]>;
        };
    };
    createAccountInvitation: {
        parameters: {
            header?: Retried;
            path: ById;
        };
        requestBody: Json<Schemas["CreateInvitation"]>;
        responses: Failures & {
            200: Json<Schemas["MadeInvitationResponse"]>;
        };
    };
    revokeInvitation: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
        };
    };
    acceptInvitation: {
        requestBody: Json<Schemas["AcceptInvitation"]>;
        responses: Failures & {
            200: Json<Schemas["JoinedResponse"]>;
        };
    };
    listSessions: {
        responses: Failures & {
            200: Json<Schemas["SessionList"]>;
        };
    };
    endOtherSessions: {
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
        };
    };
    endSession: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
        };
    };
    listTeams: {
        responses: Failures & {
            200: Json<Schemas["TeamList"]>;
        };
    };
    switchTeam: {
        parameters: {
            header?: Retried;
        };
        requestBody: Json<Schemas["SwitchTeam"]>;
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
        };
    };
    listSshKeys: {
        parameters: {
            query?: Page;
        };
        responses: Failures & {
            200: Json<Schemas["SshKeyList"]>;
        };
    };
    addSshKey: {
        parameters: {
            header?: Retried;
        };
        requestBody: Json<Schemas["AddSshKeyRequest"]>;
        responses: Failures & {
            200: Json<Schemas["AddedSshKeyResponse"]>;
        };
    };
    deleteSshKey: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
            /** `global/object-does-not-exist`: the SSH key to delete does not exist or belongs to another account. */
            404: Json<Schemas["Error"]>;
        };
    };
    listFileSystems: {
        parameters: {
            query?: Page;
        };
        responses: Failures & {
            200: Json<Schemas["FileSystemList"]>;
        };
    };
    createFileSystem: {
        parameters: {
            header?: Retried;
        };
        requestBody: Json<Schemas["CreateFileSystemRequest"]>;
        responses: Failures & {
            200: Json<Schemas["FileSystemResponse"]>;
        };
    };
    deleteFileSystem: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
            /** `global/conflict`: the file system to delete is attached to an instance. */
            409: Json<Schemas["Error"]>;
        };
    };
    listFirewallRules: {
        responses: Failures & {
            200: Json<Schemas["FirewallRules"]>;
        };
    };
    replaceFirewallRules: {
        requestBody: Json<Schemas["ReplaceFirewallRulesRequest"]>;
        responses: Failures & {
            200: Json<Schemas["FirewallRules"]>;
        };
    };
    listFirewallRulesets: {
        parameters: {
            query?: Page;
        };
        responses: Failures & {
            200: Json<Schemas["FirewallRulesetList"]>;
        };
    };
    createFirewallRuleset: {
        parameters: {
            header?: Retried;
        };
        requestBody: Json<Schemas["CreateFirewallRulesetRequest"]>;
        responses: Failures & {
            200: Json<Schemas["FirewallRulesetResponse"]>;
        };
    };
    getFirewallRuleset: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["FirewallRulesetResponse"]>;
        };
    };
    deleteFirewallRuleset: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
            /** `firewall-rulesets/firewall-ruleset-in-use`: a live instance uses the firewall ruleset to delete. */
            409: Json<Schemas["Error"]>;
        };
    };
    changeFirewallRuleset: {
        parameters: {
            path: ById;
        };
        requestBody: Json<Schemas["ChangeFirewallRulesetRequest"]>;
        responses: Failures & {
            200: Json<Schemas["FirewallRulesetResponse"]>;
        };
    };
    listOffers: {
        parameters: {
            query?: Page;
        };
        responses: Failures & {
            200: Json<Schemas["OfferList"]>;
        };
    };
    getQuote: {
        parameters: {
            query: {
                /**
                 * @description The name of an instance type.
                 * @example gpu_1x_h100_pcie
                 */
                instance_type: string;
                /**
                 * @description `any` for the best region with capacity, or the name of a region.
                 * @example any
                 */
                region?: string;
                /** Default: 1. */
                quantity?: number;
                /** Its code. */
                coupon?: string;
                /**
                 * @description Of the instances, as in a launch.
                 * @example training
                 */
                name?: string;
                /**
                 * @description For tokens with the scope `operator`: only on hosts with these labels, `key=value` or `key`, separated by commas. Default: on any host.
                 * @example rack=r12
                 */
                host_selector?: string;
                /** Whether at the spot price. Default: false. */
                spot?: boolean;
                /** As in a launch. What ends in time can have capacity that is kept for others. Default and maximum: the account's. */
                max_lifetime_seconds?: number;
            };
        };
        responses: Failures & {
            200: Json<Schemas["QuoteResponse"]>;
            /**
             * @description `global/object-does-not-exist`: the body, or a filter, names an instance type, region, key, image, file system or coupon that does not exist.
             *
             *     `global/invalid-parameters`: the coupon is expired, inactive, or not for this instance type.
             *
             *     `global/invalid-parameters`: the path, the query or the headers are not well-formed.
             *
             *     `global/invalid-parameters`: a value in the request is not valid or has the wrong type.
             */
            400: Json<Schemas["Error"]>;
        };
    };
    listInstances: {
        parameters: {
            query?: Page & {
                /** Only instances of the account with this UUID. Another account than yours requires the operator scope. */
                account_id?: string;
                /** Only instances in this state. */
                status?: Schemas["InstanceStatus"];
                /** True: only stalled instances, whose operation is being retried or is slow (see `trouble`, for operators). False: only the others. */
                troubled?: boolean;
                /** Only instances in the region of this name. */
                region?: string;
                /** By the time of the launch. Default: `oldest-first`. */
                order?: Schemas["InstanceOrder"];
            };
        };
        responses: Failures & {
            200: Json<Schemas["InstanceList"]>;
        };
    };
    launchInstances: {
        parameters: {
            header?: Retried;
        };
        requestBody: Json<Schemas["LaunchInstancesRequest"]>;
        responses: Failures & {
            200: Json<Schemas["InstanceList"]>;
            /** It waits. */
            202: Json<Schemas["LaunchInstancesResponse"]>;
            /**
             * @description `global/object-does-not-exist`: the body, or a filter, names an instance type, region, key, image, file system or coupon that does not exist.
             *
             *     `global/invalid-parameters`: the image cannot run on the GPU model of the instance type.
             *
             *     `global/invalid-parameters`: the coupon is expired, inactive, or not for this instance type.
             *
             *     `global/invalid-parameters`: a file system of the launch is in a different region than the launch.
             *
             *     `global/invalid-parameters`: the path, the query or the headers are not well-formed.
             *
             *     `global/invalid-parameters`: a value in the request is not valid or has the wrong type.
             *
             *     `global/invalid-parameters`: the body is not JSON in UTF-8, is nested too deeply, or has too many values.
             */
            400: Json<Schemas["Error"]>;
            /**
             * @description `instance-operations/launch/insufficient-capacity`: not all instances of the launch can be placed, and none was created; or no other host can take the instance to move.
             *
             *     `global/conflict`: the object is in use, or otherwise not in a state that allows the operation.
             *
             *     `idempotency/in-progress`: another request with the same Idempotency-Key is still in progress.
             */
            409: Json<Schemas["Error"]>;
        };
    };
    getInstance: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["InstanceResponse"]>;
        };
    };
    changeInstance: {
        parameters: {
            path: ById;
        };
        requestBody: Json<Schemas["ChangeInstanceRequest"]>;
        responses: Failures & {
            200: Json<Schemas["InstanceResponse"]>;
        };
    };
    listLaunches: {
        parameters: {
            query?: Page & {
                /** Only launches of the account with this UUID. Another account than yours requires the operator scope. */
                account_id?: string;
                state?: Schemas["LaunchState"];
            };
        };
        responses: Failures & {
            200: Json<Schemas["LaunchList"]>;
        };
    };
    readLaunch: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["ExplainedLaunchResponse"]>;
        };
    };
    cancelLaunch: {
        parameters: {
            header?: Retried;
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["LaunchResponse"]>;
        };
    };
    listCapacityNotices: {
        parameters: {
            query?: Page;
        };
        responses: Failures & {
            200: Json<Schemas["CapacityNoticeList"]>;
        };
    };
    createCapacityNotice: {
        parameters: {
            header?: Retried;
        };
        requestBody: Json<Schemas["CreateCapacityNotice"]>;
        responses: Failures & {
            200: Json<Schemas["CapacityNoticeResponse"]>;
        };
    };
    deleteCapacityNotice: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
        };
    };
    readReservationCalendar: {
        parameters: {
            query: {
                /** @example gpu_1x_h100_pcie */
                instance_type: string;
                /**
                 * @description `any` for the best region with capacity, or the name of a region.
                 * @example any
                 */
                region?: string;
                /** Default, and the earliest: now. ISO 8601 with time and offset. */
                from?: string;
                /** Up to 100 days later. Default: 14 days later. ISO 8601 with time and offset. */
                to?: string;
            };
        };
        responses: Failures & {
            200: Json<Schemas["ReservationCalendarResponse"]>;
        };
    };
    listReservations: {
        parameters: {
            query?: Page & {
                /** Only reservations of the account with this UUID. Another account than yours requires the operator scope. */
                account_id?: string;
                state?: Schemas["ReservationState"];
                /** Only reservations that end after this time. ISO 8601 with time and offset. */
                from?: string;
                /** Only reservations that begin before this time. ISO 8601 with time and offset. */
                to?: string;
            };
        };
        responses: Failures & {
            200: Json<Schemas["ReservationList"]>;
        };
    };
    createReservation: {
        parameters: {
            header?: Retried;
        };
        requestBody: Json<Schemas["ReservationOrder"]>;
        responses: Failures & {
            200: Json<Schemas["ReservationResponse"]>;
            /**
             * @description `instance-operations/launch/insufficient-capacity`: not all instances of the launch can be placed, and none was created; or no other host can take the instance to move.
             *
             *     `idempotency/in-progress`: another request with the same Idempotency-Key is still in progress.
             */
            409: Json<Schemas["Error"]>;
        };
    };
    getReservation: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["ReservationResponse"]>;
        };
    };
    quoteReservation: {
        parameters: {
            query: {
                /** @example gpu_1x_h100_pcie */
                instance_type: string;
                /**
                 * @description `any` for the best region with capacity, or the name of a region.
                 * @example any
                 */
                region?: string;
                /** How many instances, all in one region. Default: 1. */
                quantity?: number;
                /** When it begins: up to 90 days ahead, unless the operator has set others. Default: now. ISO 8601 with time and offset. */
                from?: string;
                /** When it ends: 60 minutes to 90 days later, unless the operator has set others. ISO 8601 with time and offset. */
                to: string;
            };
        };
        responses: Failures & {
            200: Json<Schemas["ReservationQuoteResponse"]>;
        };
    };
    cancelReservation: {
        parameters: {
            header?: Retried;
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["ReservationResponse"]>;
        };
    };
    stopInstance: {
        parameters: {
            header?: Retried;
            path: ById;
        };
        requestBody?: Json<Schemas["Reason"]>;
        responses: Failures & {
            200: Json<Schemas["InstanceResponse"]>;
            /**
             * @description `instance-operations/stop/instance-terminated`: an instance to stop is terminated; none was stopped.
             *
             *     `idempotency/in-progress`: another request with the same Idempotency-Key is still in progress.
             */
            409: Json<Schemas["Error"]>;
        };
    };
    restartInstance: {
        parameters: {
            header?: Retried;
            path: ById;
        };
        requestBody?: Json<Schemas["Reason"]>;
        responses: Failures & {
            200: Json<Schemas["InstanceResponse"]>;
            /**
             * @description `instance-operations/restart/instance-not-stopped`: an instance to restart is not stopped; none was restarted.
             *
             *     `global/conflict`: the object is in use, or otherwise not in a state that allows the operation.
             *
             *     `idempotency/in-progress`: another request with the same Idempotency-Key is still in progress.
             */
            409: Json<Schemas["Error"]>;
        };
    };
    rebootInstance: {
        parameters: {
            header?: Retried;
            path: ById;
        };
        requestBody?: Json<Schemas["Reason"]>;
        responses: Failures & {
            200: Json<Schemas["InstanceResponse"]>;
        };
    };
    terminateInstance: {
        parameters: {
            header?: Retried;
            path: ById;
        };
        requestBody?: Json<Schemas["Reason"]>;
        responses: Failures & {
            200: Json<Schemas["InstanceResponse"]>;
        };
    };
    moveInstance: {
        parameters: {
            header?: Retried;
            path: ById;
        };
        requestBody?: Json<Schemas["MoveOrder"]>;
        responses: Failures & {
            200: Json<Schemas["InstanceResponse"]>;
            /**
             * @description `global/conflict`: the object is in use, or otherwise not in a state that allows the operation.
             *
             *     `instance-operations/launch/insufficient-capacity`: not all instances of the launch can be placed, and none was created; or no other host can take the instance to move.
             *
             *     `idempotency/in-progress`: another request with the same Idempotency-Key is still in progress.
             */
            409: Json<Schemas["Error"]>;
        };
    };
    reportFault: {
        parameters: {
            header?: Retried;
            path: ById;
        };
        requestBody: Json<Schemas["FaultReport"]>;
        responses: Failures & {
            200: Json<Schemas["ReportedFaultResponse"]>;
        };
    };
    getInstanceConsoleLog: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["ConsoleLogResponse"]>;
            /**
             * @description `global/machine-unreachable`: the host does not respond when a console or terminal of an instance is requested.
             *
             *     `global/unavailable`: the database does not respond or is out of space (nothing is created then, but instances can be terminated), the service is overloaded, or the server is shutting down.
             */
            503: Json<Schemas["Error"]>;
        };
    };
    getInstanceMetrics: {
        parameters: {
            query?: {
                /** ISO 8601 with time and offset. Default: an hour before `to`. */
                from?: string;
                /** Default, and at most: now. Within the last 30 days. */
                to?: string;
                /** Seconds of each value. At most 1500 values are returned. Default: what a chart needs. */
                step?: number;
            };
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["InstanceMetricsResponse"]>;
        };
    };
    getUsage: {
        parameters: {
            query?: Page & {
                /** `csv`: the same rows as CSV (RFC 4180) with a header row. Formulas, at the start of a value or after a separator in it, are prefixed with an apostrophe. */
                format?: Schemas["ListFormat"];
                /** Only usage of the account with this UUID. Another account than yours requires the operator scope. */
                account_id?: string;
                /** Only usage of the instance with this UUID. */
                instance_id?: string;
                /** Only usage of instances launched by the token with this UUID, also after the token was revoked. */
                token_id?: string;
                /**
                 * @description The first day, in UTC. Default: from the beginning.
                 * @example 2026-03-01
                 */
                from?: string;
                /**
                 * @description The last day, in UTC. Default: up to now.
                 * @example 2026-03-31
                 */
                to?: string;
            };
        };
        responses: Failures & {
            200: {
                content: {
                    "application/json": Schemas["GetUsageResponse"];
                    "text/csv": string;
                };
            };
        };
    };
    getUsageByDay: {
        parameters: {
            query?: Page & {
                format?: Schemas["ListFormat"];
                /** Only usage of the account with this UUID. Another account than yours requires the operator scope. */
                account_id?: string;
                /** Only usage of the instance with this UUID. */
                instance_id?: string;
                /** Only usage of instances launched by the token with this UUID, also after the token was revoked. */
                token_id?: string;
                /** Grouping of the lines: by account (the default), instance, instance type or token. */
                per?: Schemas["UsagePart"];
                /**
                 * @description The first day, in UTC. Default: the first of this month.
                 * @example 2026-03-01
                 */
                from?: string;
                /**
                 * @description The last day, in UTC. Default: today.
                 * @example 2026-03-31
                 */
                to?: string;
            };
        };
        responses: Failures & {
            200: {
                content: {
                    "application/json": Schemas["GetUsageByDayResponse"];
                    "text/csv": string;
                };
            };
        };
    };
    getUsageByMonth: {
        parameters: {
            query?: Page & {
                format?: Schemas["ListFormat"];
                /** Only usage of the account with this UUID. Another account than yours requires the operator scope. */
                account_id?: string;
                /** Only usage of the instance with this UUID. */
                instance_id?: string;
                /** Only usage of instances launched by the token with this UUID, also after the token was revoked. */
                token_id?: string;
                /** Grouping of the lines: by account (the default), instance, instance type or token. */
                per?: Schemas["UsagePart"];
                /**
                 * @description The first month, in UTC. Default: eleven months ago.
                 * @example 2026-01
                 */
                from?: string;
                /**
                 * @description The last month, in UTC. Default: this month.
                 * @example 2026-03
                 */
                to?: string;
            };
        };
        responses: Failures & {
            200: {
                content: {
                    "application/json": Schemas["GetUsageByMonthResponse"];
                    "text/csv": string;
                };
            };
        };
    };
    listBudgetAlerts: {
        responses: Failures & {
            200: Json<Schemas["BudgetAlertList"]>;
        };
    };
    createBudgetAlert: {
        parameters: {
            header?: Retried;
        };
        requestBody: Json<Schemas["CreateBudgetAlertRequest"]>;
        responses: Failures & {
            200: Json<Schemas["BudgetAlertResponse"]>;
        };
    };
    deleteBudgetAlert: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
        };
    };
    listStatements: {
        parameters: {
            query?: Page & {
                format?: Schemas["ListFormat"];
                /** Only statements of the account with this UUID. Another account than yours requires the operator scope. */
                account_id?: string;
            };
        };
        responses: Failures & {
            200: {
                content: {
                    "application/json": Schemas["ListedStatementList"];
                    "text/csv": string;
                };
            };
        };
    };
    getStatement: {
        parameters: {
            query?: Page & {
                format?: Schemas["ListFormat"];
                /** Only statements of the account with this UUID. Another account than yours requires the operator scope. */
                account_id?: string;
            };
            path: {
                /**
                 * @description In UTC.
                 * @example 2026-03
                 */
                month: string;
            };
        };
        responses: Failures & {
            200: {
                content: {
                    "application/json": Schemas["StatementResponse"];
                    "text/csv": string;
                };
            };
        };
    };
    getBalance: {
        responses: Failures & {
            200: Json<Schemas["BalanceResponse"]>;
        };
    };
    listLedger: {
        parameters: {
            query?: Page & {
                format?: Schemas["ListFormat"];
            };
        };
        responses: Failures & {
            200: {
                content: {
                    "application/json": Schemas["LedgerEntryList"];
                    "text/csv": string;
                };
            };
        };
    };
    getAccountBalance: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["BalanceResponse"]>;
        };
    };
    listAccountLedger: {
        parameters: {
            query?: Page & {
                format?: Schemas["ListFormat"];
            };
            path: ById;
        };
        responses: Failures & {
            200: {
                content: {
                    "application/json": Schemas["LedgerEntryList"];
                    "text/csv": string;
                };
            };
        };
    };
    getOwnBillingDetails: {
        responses: Failures & {
            200: Json<Schemas["BillingDetailsResponse"]>;
        };
    };
    changeOwnBillingDetails: {
        requestBody: Json<Schemas["ChangeBillingDetails"]>;
        responses: Failures & {
            200: Json<Schemas["BillingDetailsResponse"]>;
        };
    };
    getBillingDetails: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["BillingDetailsResponse"]>;
        };
    };
    changeBillingDetails: {
        parameters: {
            path: ById;
        };
        requestBody: Json<Schemas["ChangeBillingDetails"]>;
        responses: Failures & {
            200: Json<Schemas["BillingDetailsResponse"]>;
        };
    };
    listInvoices: {
        parameters: {
            query?: Page & {
                format?: Schemas["ListFormat"];
                /**
                 * @description Only those accounted to this month.
                 * @example 2026-03
                 */
                month?: string;
                kind?: Schemas["InvoiceKind"];
                /** For operators: those of all accounts. */
                all?: boolean;
            };
        };
        responses: Failures & {
            200: {
                content: {
                    "application/json": Schemas["ListedInvoiceList"];
                    "text/csv": string;
                };
            };
        };
    };
    listAccountInvoices: {
        parameters: {
            query?: Page & {
                format?: Schemas["ListFormat"];
                /**
                 * @description Only those accounted to this month.
                 * @example 2026-03
                 */
                month?: string;
                kind?: Schemas["InvoiceKind"];
            };
            path: ById;
        };
        responses: Failures & {
            200: {
                content: {
                    "application/json": Schemas["ListedInvoiceList"];
                    "text/csv": string;
                };
            };
        };
    };
    getInvoice: {
        parameters: {
            query?: {
                format?: Schemas["ListFormat"];
            };
            path: ById;
        };
        responses: Failures & {
            200: {
                content: {
                    "application/json": Schemas["InvoiceResponse"];
                    "text/csv": string;
                };
            };
        };
    };
    getInvoicePdf: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: {
                content: {
                    "application/pdf": string;
                };
            };
        };
    };
    issueCreditNote: {
        parameters: {
            header?: Retried;
            path: ById;
        };
        requestBody: Json<Schemas["IssueCreditNoteRequest"]>;
        responses: Failures & {
            200: Json<Schemas["InvoiceResponse"]>;
        };
    };
    exportAccounting: {
        parameters: {
            path: {
                /**
                 * @description In UTC.
                 * @example 2026-03
                 */
                month: string;
            };
        };
        responses: Failures & {
            200: {
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    listTopUps: {
        parameters: {
            query?: Page;
        };
        responses: Failures & {
            200: Json<Schemas["PaymentList"]>;
        };
    };
    createTopUp: {
        parameters: {
            header?: Retried;
        };
        requestBody: Json<Schemas["CreateTopUpRequest"]>;
        responses: Failures & {
            200: Json<Schemas["PaymentResponse"]>;
        };
    };
    getTopUp: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["PaymentResponse"]>;
        };
    };
    listPaymentMethods: {
        parameters: {
            query?: Page;
        };
        responses: Failures & {
            200: Json<Schemas["PaymentMethodList"]>;
        };
    };
    createPaymentMethod: {
        parameters: {
            header?: Retried;
        };
        responses: Failures & {
            200: Json<Schemas["PaymentMethodResponse"]>;
        };
    };
    getPaymentMethod: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["PaymentMethodResponse"]>;
        };
    };
    deletePaymentMethod: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
        };
    };
    getAutoTopUp: {
        responses: Failures & {
            200: Json<Schemas["GetAutoTopUpResponse"]>;
        };
    };
    putAutoTopUp: {
        requestBody: Json<Schemas["PutAutoTopUpRequest"]>;
        responses: Failures & {
            200: Json<Schemas["AutoTopUpResponse"]>;
        };
    };
    deleteAutoTopUp: {
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
        };
    };
    listPayments: {
        parameters: {
            query?: Page & {
                status?: Schemas["PaymentStatus"];
                /** Whether it was disputed, also if that is over. */
                disputed?: boolean;
                /** Only payments of this account. */
                account_id?: string;
            };
        };
        responses: Failures & {
            200: Json<Schemas["PaymentList"]>;
        };
    };
    listAccountPayments: {
        parameters: {
            query?: Page & {
                status?: Schemas["PaymentStatus"];
                /** Whether it was disputed, also if that is over. */
                disputed?: boolean;
            };
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["PaymentList"]>;
        };
    };
    getPayment: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["PaymentResponse"]>;
        };
    };
    listPaymentRefunds: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["RefundList"]>;
        };
    };
    refundPayment: {
        parameters: {
            header?: Retried;
            path: ById;
        };
        requestBody: Json<Schemas["RefundPaymentRequest"]>;
        responses: Failures & {
            200: Json<Schemas["RefundResponse"]>;
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** Maximum number of events. Default: 100. */
                limit?: number;
                /** Cursor to resume from: `next_cursor` of a previous response. Default: the first event. */
                cursor?: string;
                /**
                 * @description Only these types, separated by commas; `*` matches anything.
                 * @example instance.*,ssh_key.created
                 */
                types?: string;
                /** Only events of the instance with this UUID. */
                instance_id?: string;
                /** Only events of the account with this UUID. Another account than yours requires the operator scope. */
                account_id?: string;
            };
        };
        responses: Failures & {
            200: Json<Schemas["ListEventsResponse"]>;
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /** Cursor to resume from if there is no Last-Event-ID: an event ID, or `next_cursor` of a list. */
                cursor?: string;
                /** Where to start without a cursor. `now`, the default: new events only. `start`: all events. */
                from?: "now" | "start";
                /**
                 * @description Only these types, separated by commas; `*` matches anything.
                 * @example instance.*,ssh_key.created
                 */
                types?: string;
                /** Only events of the instance with this UUID. */
                instance_id?: string;
                /** Only events of the account with this UUID. Another account than yours requires the operator scope. */
                account_id?: string;
            };
        };
        responses: Failures & {
            200: {
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: Page;
        };
        responses: Failures & {
            200: Json<Schemas["WebhookList"]>;
        };
    };
    createWebhook: {
        parameters: {
            header?: Retried;
        };
        requestBody: Json<Schemas["CreateWebhookRequest"]>;
        responses: Failures & {
            200: Json<Schemas["MadeWebhookResponse"]>;
        };
    };
    getWebhook: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["WebhookResponse"]>;
        };
    };
    deleteWebhook: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
        };
    };
    changeWebhook: {
        parameters: {
            path: ById;
        };
        requestBody: Json<Schemas["ChangeWebhookRequest"]>;
        responses: Failures & {
            200: Json<Schemas["WebhookResponse"]>;
        };
    };
    rotateWebhookSecret: {
        parameters: {
            header?: Retried;
            path: ById;
        };
        requestBody?: Json<Schemas["RotateWebhookSecretRequest"]>;
        responses: Failures & {
            200: Json<Schemas["MadeWebhookResponse"]>;
        };
    };
    testWebhook: {
        parameters: {
            header?: Retried;
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["DeliveryResponse"]>;
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** Maximum number of entries. Default: 100. */
                limit?: number;
                /** Cursor of the page, taken from the `Link` header of the previous page. Opaque. */
                cursor?: string;
                status?: Schemas["DeliveryStatus"];
            };
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["DeliveryList"]>;
        };
    };
    getWebhookDelivery: {
        parameters: {
            path: {
                /** The webhook's UUID. */
                id: string;
                /** The delivery's UUID. */
                delivery_id: string;
            };
        };
        responses: Failures & {
            200: Json<Schemas["DeliveryInFullResponse"]>;
        };
    };
    resendWebhookDelivery: {
        parameters: {
            header?: Retried;
            path: {
                /** The webhook's UUID. */
                id: string;
                /** The delivery's UUID. */
                delivery_id: string;
            };
        };
        responses: Failures & {
            200: Json<Schemas["DeliveryResponse"]>;
        };
    };
    listAuditLog: {
        parameters: {
            query?: {
                /** Maximum number of entries. Default: 100. */
                limit?: number;
                /** Cursor of the page, from the `Link` header of the previous page. */
                cursor?: string;
                /** Only entries of the account with this UUID. Another account than yours requires the operator scope. */
                account_id?: string;
                /** Only requests of this token. */
                token_id?: string;
                /**
                 * @description Only this operation (operationId). It must be one that changes something.
                 * @example stopInstances
                 */
                operation?: string;
                /** Only entries about this ID or name. */
                object?: string;
                result?: Schemas["AuditResult"];
                /** From this time, inclusive. ISO 8601 with time and offset. */
                from?: string;
                /** Before this time. ISO 8601 with time and offset. */
                to?: string;
            };
        };
        responses: Failures & {
            200: Json<Schemas["AuditEntryList"]>;
        };
    };
    listAccounts: {
        parameters: {
            query?: Page;
        };
        responses: Failures & {
            200: Json<Schemas["AccountList"]>;
        };
    };
    createAccount: {
        parameters: {
            header?: Retried;
        };
        requestBody: Json<Schemas["CreateAccountRequest"]>;
        responses: Failures & {
            200: Json<Schemas["AccountResponse"]>;
        };
    };
    getAccount: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["AccountResponse"]>;
        };
    };
    changeAccount: {
        parameters: {
            path: ById;
        };
        requestBody: Json<Schemas["ChangeAccountRequest"]>;
        responses: Failures & {
            200: Json<Schemas["AccountResponse"]>;
            /**
             * @description `global/duplicate`: a name that must be unique is taken.
             *
             *     `global/conflict`: the object is in use, or otherwise not in a state that allows the operation.
             */
            409: Json<Schemas["Error"]>;
        };
    };
    listAccountTokens: {
        parameters: {
            query?: Page;
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["TokenList"]>;
        };
    };
    createAccountToken: {
        parameters: {
            header?: Retried;
            path: ById;
        };
        requestBody: Json<Schemas["CreateToken"]>;
        responses: Failures & {
            200: Json<Schemas["MadeTokenResponse"]>;
        };
    };
    revokeAccountToken: {
        parameters: {
            path: {
                /** The account's UUID. */
                id: string;
                /** The token's UUID. */
                token_id: string;
            };
        };
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
        };
    };
    changeAccountToken: {
        parameters: {
            path: {
                /** The account's UUID. */
                id: string;
                /** The token's UUID. */
                token_id: string;
            };
        };
        requestBody: Json<Schemas["ChangeToken"]>;
        responses: Failures & {
            200: Json<Schemas["TokenResponse"]>;
        };
    };
    topUpAccount: {
        parameters: {
            header?: Retried;
            path: ById;
        };
        requestBody: Json<Schemas["TopUpAccountRequest"]>;
        responses: Failures & {
            200: Json<Schemas["LedgerEntryResponse"]>;
        };
    };
    refundAccount: {
        parameters: {
            header?: Retried;
            path: ById;
        };
        requestBody: Json<Schemas["RefundAccountRequest"]>;
        responses: Failures & {
            200: Json<Schemas["LedgerEntryResponse"]>;
        };
    };
    adjustBalance: {
        parameters: {
            header?: Retried;
            path: ById;
        };
        requestBody: Json<Schemas["AdjustBalanceRequest"]>;
        responses: Failures & {
            200: Json<Schemas["LedgerEntryResponse"]>;
        };
    };
    listRegions: {
        parameters: {
            query?: Page;
        };
        responses: Failures & {
            200: Json<Schemas["RegionList"]>;
        };
    };
    putRegion: {
        parameters: {
            path: ByName;
        };
        requestBody: Json<Schemas["PutRegionRequest"]>;
        responses: Failures & {
            200: Json<Schemas["RegionResponse"]>;
        };
    };
    deleteRegion: {
        parameters: {
            path: ByName;
        };
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
        };
    };
    listHosts: {
        parameters: {
            query?: Page & {
                /**
                 * @description Only hosts with these labels: `key=value` or `key`, separated by commas.
                 * @example rack=r12
                 */
                selector?: string;
                /** Only hosts with a finding of this severity. */
                health?: Schemas["HealthSeverity"];
            };
        };
        responses: Failures & {
            200: Json<Schemas["HostList"]>;
        };
    };
    getHost: {
        parameters: {
            path: ByName;
        };
        responses: Failures & {
            200: Json<Schemas["HostResponse"]>;
        };
    };
    putHost: {
        parameters: {
            path: ByName;
        };
        requestBody: Json<Schemas["PutHostRequest"]>;
        responses: Failures & {
            200: Json<Schemas["HostResponse"]>;
        };
    };
    deleteHost: {
        parameters: {
            path: ByName;
        };
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
        };
    };
    changeHost: {
        parameters: {
            path: ByName;
        };
        requestBody: Json<Schemas["ChangeHostRequest"]>;
        responses: Failures & {
            200: Json<Schemas["HostResponse"]>;
        };
    };
    cordonHost: {
        parameters: {
            header?: Retried;
            path: ByName;
        };
        requestBody?: Json<Schemas["HostReason"]>;
        responses: Failures & {
            200: Json<Schemas["HostResponse"]>;
        };
    };
    uncordonHost: {
        parameters: {
            header?: Retried;
            path: ByName;
        };
        requestBody?: Json<Schemas["HostReason"]>;
        responses: Failures & {
            200: Json<Schemas["HostResponse"]>;
        };
    };
    drainHost: {
        parameters: {
            header?: Retried;
            path: ByName;
        };
        requestBody?: Json<Schemas["DrainOrder"]>;
        responses: Failures & {
            200: Json<Schemas["HostResponse"]>;
        };
    };
    declareHostLost: {
        parameters: {
            header?: Retried;
            path: ByName;
        };
        requestBody: Json<Schemas["DeclareHostLostRequest"]>;
        responses: Failures & {
            200: Json<Schemas["HostLossResponse"]>;
        };
    };
    fenceHost: {
        parameters: {
            header?: Retried;
            path: ByName;
        };
        requestBody?: Json<Schemas["HostReason"]>;
        responses: Failures & {
            200: Json<Schemas["HostResponse"]>;
        };
    };
    listMaintenance: {
        parameters: {
            query?: Page & {
                /** Only windows of hosts with instances of the account with this UUID. Another account than yours requires the operator scope. */
                account_id?: string;
                /** Only windows of the host of this name. Requires the operator scope. */
                host?: string;
                /** Only windows of this request. Requires the operator scope. */
                group_id?: string;
                phase?: Schemas["MaintenancePhase"];
                /** Only windows that end after this time. ISO 8601 with time and offset. */
                from?: string;
                /** Only windows that begin before this time. ISO 8601 with time and offset. */
                to?: string;
            };
        };
        responses: Failures & {
            200: Json<Schemas["MaintenanceWindowList"]>;
        };
    };
    scheduleMaintenance: {
        parameters: {
            header?: Retried;
        };
        requestBody: Json<Schemas["ScheduleMaintenanceRequest"]>;
        responses: Failures & {
            200: Json<Schemas["MaintenanceWindowList"]>;
        };
    };
    getMaintenance: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["MaintenanceWindowResponse"]>;
        };
    };
    deleteMaintenance: {
        parameters: {
            query?: {
                /** The revision that you have read. The request is rejected with 409 if the window has changed since. */
                revision?: number;
            };
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["MaintenanceWindowResponse"]>;
        };
    };
    changeMaintenance: {
        parameters: {
            path: ById;
        };
        requestBody: Json<Schemas["ChangeMaintenanceRequest"]>;
        responses: Failures & {
            200: Json<Schemas["MaintenanceWindowResponse"]>;
        };
    };
    deferMaintenance: {
        parameters: {
            header?: Retried;
            path: ById;
        };
        requestBody?: Json<Schemas["DeferMaintenanceRequest"]>;
        responses: Failures & {
            200: Json<Schemas["MaintenanceWindowResponse"]>;
        };
    };
    listGpus: {
        parameters: {
            query?: Page & {
                state?: Schemas["GpuState"];
                /** Only GPUs of the host of this name. */
                host?: string;
                /** Only GPUs of this model. */
                model?: string;
                /** Only GPUs that are quarantined, or are when their instance is gone. */
                quarantined?: boolean;
            };
        };
        responses: Failures & {
            200: Json<Schemas["ListedGpuList"]>;
        };
    };
    quarantineGpu: {
        parameters: {
            header?: Retried;
            path: {
                /** 1 to 64 letters, digits, `.`, `_` and `-`, the first a letter or digit. */
                name: string;
                /** The address of the GPU on the host, such as a PCI address. */
                address: string;
            };
        };
        requestBody: Json<Schemas["QuarantineGpuRequest"]>;
        responses: Failures & {
            200: Json<Schemas["ListedGpuResponse"]>;
        };
    };
    retestGpu: {
        parameters: {
            header?: Retried;
            path: {
                /** 1 to 64 letters, digits, `.`, `_` and `-`, the first a letter or digit. */
                name: string;
                /** The address of the GPU on the host, such as a PCI address. */
                address: string;
            };
        };
        responses: Failures & {
            200: Json<Schemas["ListedGpuResponse"]>;
        };
    };
    validateGpu: {
        parameters: {
            header?: Retried;
            path: {
                /** 1 to 64 letters, digits, `.`, `_` and `-`, the first a letter or digit. */
                name: string;
                /** The address of the GPU on the host, such as a PCI address. */
                address: string;
            };
        };
        responses: Failures & {
            200: Json<Schemas["ListedGpuResponse"]>;
        };
    };
    releaseGpu: {
        parameters: {
            header?: Retried;
            path: {
                /** 1 to 64 letters, digits, `.`, `_` and `-`, the first a letter or digit. */
                name: string;
                /** The address of the GPU on the host, such as a PCI address. */
                address: string;
            };
        };
        requestBody?: Json<Schemas["ReleaseGpuRequest"]>;
        responses: Failures & {
            200: Json<Schemas["GpuReleaseResponse"]>;
        };
    };
    listGpuPartitions: {
        parameters: {
            query?: Page & {
                state?: Schemas["GpuPartitionState"];
                /** Only partitions of the host of this name. */
                host?: string;
            };
        };
        responses: Failures & {
            200: Json<Schemas["GpuPartitionList"]>;
        };
    };
    listGpuPolicies: {
        responses: Failures & {
            200: Json<Schemas["GpuPolicyList"]>;
        };
    };
    putGpuPolicy: {
        parameters: {
            path: {
                /**
                 * @description 1 to 64 printable ASCII characters, without space at the ends.
                 * @example h100_pcie
                 */
                model: string;
            };
        };
        requestBody: Json<Schemas["PutGpuPolicyRequest"]>;
        responses: Failures & {
            200: Json<Schemas["GpuPolicyResponse"]>;
        };
    };
    deleteGpuPolicy: {
        parameters: {
            query?: {
                /** Only in this region. Default: every region that has none of its own. */
                region?: string;
            };
            path: {
                /**
                 * @description 1 to 64 printable ASCII characters, without space at the ends.
                 * @example h100_pcie
                 */
                model: string;
            };
        };
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
        };
    };
    listEngines: {
        parameters: {
            query?: Page;
        };
        responses: Failures & {
            200: Json<Schemas["EngineList"]>;
        };
    };
    listInstanceTypes: {
        parameters: {
            query?: Page;
        };
        responses: Failures & {
            200: Json<Schemas["InstanceTypeList"]>;
        };
    };
    putInstanceType: {
        parameters: {
            path: ByName;
        };
        requestBody: Json<Schemas["PutInstanceTypeRequest"]>;
        responses: Failures & {
            200: Json<Schemas["InstanceTypeResponse"]>;
        };
    };
    deleteInstanceType: {
        parameters: {
            path: ByName;
        };
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
        };
    };
    listImages: {
        parameters: {
            query?: Page;
        };
        responses: Failures & {
            200: Json<Schemas["ImageList"]>;
        };
    };
    putImage: {
        parameters: {
            path: {
                /** 1 to 64 printable ASCII characters, the first a letter or digit, without space at the end. */
                name: string;
            };
        };
        requestBody: Json<Schemas["PutImageRequest"]>;
        responses: Failures & {
            200: Json<Schemas["ImageResponse"]>;
            /** `global/duplicate`: a name that must be unique is taken. */
            409: Json<Schemas["Error"]>;
        };
    };
    deleteImage: {
        parameters: {
            path: {
                /** 1 to 64 printable ASCII characters, the first a letter or digit, without space at the end. */
                name: string;
            };
        };
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
        };
    };
    listCoupons: {
        parameters: {
            query?: Page;
        };
        responses: Failures & {
            200: Json<Schemas["CouponList"]>;
        };
    };
    putCoupon: {
        parameters: {
            path: {
                /** 1 to 64 visible ASCII characters. */
                code: string;
            };
        };
        requestBody: Json<Schemas["PutCouponRequest"]>;
        responses: Failures & {
            200: Json<Schemas["CouponResponse"]>;
        };
    };
    deleteCoupon: {
        parameters: {
            path: {
                /** 1 to 64 visible ASCII characters. */
                code: string;
            };
        };
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
        };
    };
    listVouchers: {
        parameters: {
            query?: Page;
        };
        responses: Failures & {
            200: Json<Schemas["VoucherList"]>;
        };
    };
    createVoucher: {
        parameters: {
            header?: Retried;
        };
        requestBody: Json<Schemas["CreateVoucherRequest"]>;
        responses: Failures & {
            200: Json<Schemas["MadeVoucherResponse"]>;
        };
    };
    deleteVoucher: {
        parameters: {
            path: ById;
        };
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
        };
    };
    redeemVoucher: {
        parameters: {
            header?: Retried;
        };
        requestBody: Json<Schemas["RedeemVoucherRequest"]>;
        responses: Failures & {
            200: Json<Schemas["LedgerEntryResponse"]>;
        };
    };
    explainCapacity: {
        parameters: {
            query?: Page & {
                /** Only the instance type of this name. */
                instance_type?: string;
                /** Only the region of this name. */
                region?: string;
                /**
                 * @description Only hosts with these labels: `key=value` or `key`, separated by commas.
                 * @example rack=r12
                 */
                selector?: string;
            };
        };
        responses: Failures & {
            200: Json<Schemas["HostCapacityList"]>;
        };
    };
    getEncryption: {
        responses: Failures & {
            200: Json<Schemas["EncryptionResponse"]>;
        };
    };
    rotateEncryption: {
        parameters: {
            header?: Retried;
        };
        requestBody?: Json<Schemas["RotateEncryptionRequest"]>;
        responses: Failures & {
            200: Json<Schemas["RotationResponse"]>;
        };
    };
    retireEncryptionKey: {
        parameters: {
            header?: Retried;
        };
        requestBody: Json<Schemas["RetireEncryptionKeyRequest"]>;
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
        };
    };
    listReplicas: {
        parameters: {
            query?: Page;
        };
        responses: Failures & {
            200: Json<Schemas["ReplicaList"]>;
        };
    };
    listEmails: {
        parameters: {
            query?: {
                /** Maximum number of emails. Default: 100. */
                limit?: number;
                /** Cursor of the page, taken from the `Link` header of the previous page. Opaque. */
                cursor?: string;
                /** `suppressed`: the account had more than 20 within the hour. */
                status?: Schemas["EmailStatus"];
                /** Only emails to this account. */
                account_id?: string;
            };
        };
        responses: Failures & {
            200: Json<Schemas["EmailList"]>;
        };
    };
    sendTestEmail: {
        parameters: {
            header?: Retried;
        };
        requestBody: Json<Schemas["SendTestEmailRequest"]>;
        responses: Failures & {
            200: Json<Schemas["EmailResponse"]>;
        };
    };
    listFaults: {
        responses: Failures & {
            200: Json<Schemas["FaultList"]>;
        };
    };
    addFault: {
        parameters: {
            header?: Retried;
        };
        requestBody: Json<Schemas["NewFault"]>;
        responses: Failures & {
            200: Json<Schemas["FaultResponse"]>;
        };
    };
    removeAllFaults: {
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
        };
    };
    removeFault: {
        parameters: {
            path: {
                /** The number of the fault. */
                id: string;
            };
        };
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
        };
    };
    failSimulatedHost: {
        parameters: {
            header?: Retried;
            path: ByName;
        };
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
        };
    };
    reviveSimulatedHost: {
        parameters: {
            header?: Retried;
            path: ByName;
        };
        responses: Failures & {
            200: Json<Schemas["NothingResponse"]>;
        };
    };
}

interface Json<Body> {
    content: { "application/json": Body };
}
interface Failures {
    400: Json<Schemas["Error"]>;
    401: Json<Schemas["Error"]>;
    402: Json<Schemas["Error"]>;
    403: Json<Schemas["Error"]>;
    404: Json<Schemas["Error"]>;
    409: Json<Schemas["Error"]>;
    413: Json<Schemas["Error"]>;
    422: Json<Schemas["Error"]>;
    429: Json<Schemas["Error"]>;
    500: Json<Schemas["Error"]>;
    503: Json<Schemas["Error"]>;
}
interface Retried {
    /** For 24 hours, a retry with the same key gets the first response and has no further effect. */
    "Idempotency-Key"?: string;
}
interface Page {
    /** Maximum number of entries. Default: all. */
    limit?: number;
    /** Cursor of the page, taken from the `Link` header of the previous page. Opaque. */
    cursor?: string;
}
interface ById {
    /** A UUID. */
    id: string;
}
interface ByName {
    /** 1 to 64 letters, digits, `.`, `_` and `-`, the first a letter or digit. */
    name: string;
}
type Schemas = components["schemas"];
