// The control API's paths and shapes: made from its OpenAPI document by `npm run client`, never by hand.
// Used by index.ts and by whoever imports "lessor/client".

export interface paths {
    "/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read your account
         * @description With what it has in use now, and what the token of this request may do.
         */
        get: operations["getOwnAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your tokens
         * @description Oldest first, with the expired and the revoked. Tokens themselves are not stored.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Create a token
         * @description With scopes that the token of this request has; others are refused (403). A token with a spend limit makes none that may write or operate (409): it would spend beside the limit. `token` is in this answer only.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a token
         * @description At once, also the one of this request; one with scopes that the token of this request lacks is refused (403). A token with a spend limit revokes none that has no limit (409). It stays on the list; revoking it again changes nothing.
         */
        delete: operations["revokeToken"];
        options?: never;
        head?: never;
        /**
         * Change the spend limit of a token
         * @description No token raises its own, and one that has a limit raises no other's (409). One with scopes that the token of this request lacks is refused (403).
         */
        patch: operations["changeToken"];
        trace?: never;
    };
    "/ssh-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List SSH keys
         * @description Your SSH keys, oldest first.
         */
        get: operations["listSshKeys"];
        put?: never;
        /**
         * Add or generate an SSH key
         * @description To be named at launch. Without `public_key` a pair is generated; its private half is shown only here.
         */
        post: operations["addSshKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ssh-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an SSH key
         * @description Instances that were launched with it keep it.
         */
        delete: operations["deleteSshKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/file-systems": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List file systems
         * @description Your file systems, oldest first.
         */
        get: operations["listFileSystems"];
        put?: never;
        /**
         * Create a file system
         * @description Persistent: it outlives the instances it is attached to. Name it at launch to mount it at /mnt/<name>. Where hosts do not share storage it is on the host of its first instance, and so are all its later ones. Several instances can have it at once where its storage allows that (`multi_attach`).
         */
        post: operations["createFileSystem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/file-systems/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a file system
         * @description With everything on it. Refused while it is attached. It is gone at once; its data is removed right after.
         */
        delete: operations["deleteFileSystem"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/firewall-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the account's firewall rules
         * @description The rules for all of your instances. Rules let something in, and add up: an instance takes what a rule of the account or of one of its rulesets lets in, and nothing else. An account that never gave any has one rule that lets everything in.
         */
        get: operations["listFirewallRules"];
        /**
         * Replace the account's firewall rules
         * @description Replaces all of them, also for existing instances. Rules let something in, and add up: an instance takes what a rule of the account or of one of its rulesets lets in, and nothing else. An account that never gave any has one rule that lets everything in. Without any rule nothing comes in.
         */
        put: operations["replaceFirewallRules"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/firewall-rulesets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List firewall rulesets
         * @description Your rulesets, oldest first. The rules of the account are not among them.
         */
        get: operations["listFirewallRulesets"];
        put?: never;
        /**
         * Create a firewall ruleset
         * @description Rules for instances that are launched with it (`firewall_ruleset_ids`). Rules let something in, and add up: an instance takes what a rule of the account or of one of its rulesets lets in, and nothing else. An account that never gave any has one rule that lets everything in.
         */
        post: operations["createFirewallRuleset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/firewall-rulesets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a firewall ruleset
         * @description One ruleset, with the live instances that have it.
         */
        get: operations["getFirewallRuleset"];
        put?: never;
        post?: never;
        /**
         * Delete a firewall ruleset
         * @description Rejected while a live instance has it.
         */
        delete: operations["deleteFirewallRuleset"];
        options?: never;
        head?: never;
        /**
         * Change a firewall ruleset
         * @description Its name, its rules, or both. New rules also hold for the instances that have it.
         */
        patch: operations["changeFirewallRuleset"];
        trace?: never;
    };
    "/offers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what can be rented
         * @description Every instance type by name, with its price, and for how many of it each region has room now.
         */
        get: operations["listOffers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/quote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Quote a launch
         * @description What a launch costs per hour and per month (730 hours), for all of its quantity, and whether it fits now. Refused for what a launch would be refused for: an unknown name, a coupon that does not hold. Quotas and spend limits are not looked at, and no room is held.
         */
        get: operations["getQuote"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/instances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List instances in full
         * @description Yours; with the operator scope those of all accounts, and where they are and how the work on them stands. Oldest first; terminated ones as long as they are kept.
         */
        get: operations["listInstances"];
        put?: never;
        /**
         * Launch instances
         * @description `quantity` instances in one region, all or none; in full.
         */
        post: operations["launchInstances"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/instances/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an instance in full
         * @description Yours; a terminated one is found for 30 days (configurable). With the operator scope any account's, and where it is and how the work on it stands. With `write`, its password and its command.
         */
        get: operations["getInstance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change an instance
         * @description Its name, its tags, or how long it may live; what is left out stays. The host name stays as it was at launch. A new end of its life has to lie in the future; a warning that was given comes again before it.
         */
        patch: operations["changeInstance"];
        trace?: never;
    };
    "/instances/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop an instance
         * @description Halts it. Its data, its address and its place are kept, and billing continues. May be repeated safely. With the scope `operator`, any account's instance, with a `reason` that its account can read.
         */
        post: operations["stopInstance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/instances/{id}/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restart a stopped instance
         * @description Starts an instance that is stopped, and no other. With the scope `operator`, any account's instance, with a `reason` that its account can read.
         */
        post: operations["restartInstance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/instances/{id}/reboot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reboot an instance
         * @description Halts the machine of an active instance and starts it again; starts one that is stopped. Its data and its address are kept, and billing continues. One that is booting is left to it. With the scope `operator`, any account's instance, with a `reason` that its account can read.
         */
        post: operations["rebootInstance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/instances/{id}/terminate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Terminate an instance
         * @description Removes it and destroys its data; file systems and what is on them stay. Billing ends now. May be repeated safely. With the scope `operator`, any account's instance, with a `reason` that its account can read.
         */
        post: operations["terminateInstance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/instances/{id}/console-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an instance's console
         * @description What the machine wrote to its serial console since it was last started, as far as its engine keeps it: of the boot, and why it hangs there. Yours, or with the operator scope any account's.
         */
        get: operations["getInstanceConsoleLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read usage and its cost
         * @description Up to now, oldest first. With `from` or `to`, `seconds` and cost are those of the days asked for. `total` is the cost of all lines, also of those on other pages.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/usage/days": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read usage by day
         * @description Up to now, oldest first; days are those of UTC, and one without use has no line. `total` is the cost of all lines, also of those on other pages. At most 3660 days at once.
         */
        get: operations["getUsageByDay"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/usage/months": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read usage by month
         * @description Up to now, oldest first; months are those of UTC, and one without use has no line. `total` is the cost of all lines, also of those on other pages. At most 3660 days at once.
         */
        get: operations["getUsageByMonth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/statements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List statements
         * @description One for each month (UTC) and account in which something was used, oldest first. A month is closed between an hour and an hour and a quarter after its end; what goes on is computed up to now.
         */
        get: operations["listStatements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/statements/{month}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a statement
         * @description The month's lines, one for each instance that was used, and their sum, which is that of all lines, also of those on other pages. For operators that name no account: those of all accounts. 404 where nothing was used.
         */
        get: operations["getStatement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read events
         * @description What happened to what you own, oldest first; with the operator scope, to what anybody owns. `next_cursor` (also in `Link`) goes on after it, now or later. Narrowed by type or instance a page may be short, or empty, and there is more: `has_more` says so.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow events
         * @description Server-sent events, without end: `data` is an event in JSON, `id` its cursor. A client that comes back with `Last-Event-ID` goes on behind that one and misses nothing. Comments keep the connection alive. It ends when the token is not valid any more, when the server stops, or when the client does not read.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description Oldest first. Secrets are not shown.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description From now on events of these types are sent there: POST, JSON, signed as Standard Webhooks 1.0.0 has it. `secret` is in this answer only.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook
         * @description Without its secret.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description With its deliveries; what was not delivered is not delivered any more.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook
         * @description What is left out stays as it is. While it is off nothing is sent; switched on again it goes on where it stood, so nothing is missed. Deliveries that wait go to the new URL.
         */
        patch: operations["changeWebhook"];
        trace?: never;
    };
    "/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a webhook a new secret
         * @description `secret` is in this answer only. For a day (`overlap_seconds`) each delivery has two signatures, by the new secret and by the one before, so that receivers can change over. Until then it is not given another one, but with `overlap_seconds` 0, which ends all former secrets at once.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test to a webhook
         * @description An event `webhook.test`, sent now like any other, to this webhook only, also while it is off. What became of it is in its delivery. At most 100 tests and resends of a webhook may be under way.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook
         * @description Newest first, of the last 30 days. An event is here once the webhook has reached it. A page of one status may be short, or empty, and have a next one: follow the `Link` header to the end.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a delivery
         * @description With what was sent, and what became of each attempt.
         */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries/{delivery_id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again
         * @description Now. One that was delivered or has failed is sent once more, with the same webhook-id, and waits for no other. One that is still tried is tried at once, or the earlier one that it waits for.
         */
        post: operations["resendWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the audit log
         * @description Every request that changed something or was refused it, newest first: by which token, from where, about what, with which result. What an operator changed of your account is there too. A page that was narrowed may be short, or empty, and have a next one: follow the `Link` header to the end.
         */
        get: operations["listAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List accounts
         * @description All accounts, oldest first.
         */
        get: operations["listAccounts"];
        put?: never;
        /**
         * Create an account
         * @description Names are unique. It can do nothing until it has a token.
         */
        post: operations["createAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an account
         * @description One account, with what it has in use now.
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change an account
         * @description What is left out stays. A quota set below what is in use only keeps new things from being made. A token with a spend limit raises neither the spend limit nor the lifetime of its own account (409).
         */
        patch: operations["changeAccount"];
        trace?: never;
    };
    "/accounts/{id}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an account's tokens
         * @description Oldest first, with the expired and the revoked. Tokens themselves are not stored.
         */
        get: operations["listAccountTokens"];
        put?: never;
        /**
         * Create a token for an account
         * @description With any scopes; a token with a spend limit makes none that may write or operate, in any account (409). `token` is in this answer only.
         */
        post: operations["createAccountToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{id}/tokens/{token_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an account's token
         * @description At once. A token with a spend limit revokes none that has no limit, in any account (409). It stays on the list; revoking it again changes nothing.
         */
        delete: operations["revokeAccountToken"];
        options?: never;
        head?: never;
        /**
         * Change the spend limit of an account's token
         * @description No token raises its own, and one that has a limit raises no other's in its own account (409).
         */
        patch: operations["changeAccountToken"];
        trace?: never;
    };
    "/regions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List regions
         * @description All regions, by name.
         */
        get: operations["listRegions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/regions/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Create or replace a region
         * @description The name `any` is refused: to customers it means the best region.
         */
        put: operations["putRegion"];
        post?: never;
        /**
         * Delete a region
         * @description Refused while hosts or file systems are in it.
         */
        delete: operations["deleteRegion"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hosts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List hosts
         * @description All hosts, by name, with what is free and what is held.
         */
        get: operations["listHosts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hosts/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a host
         * @description One host, with what is free and what is held.
         */
        get: operations["getHost"];
        /**
         * Create or replace a host
         * @description A host of the simulated engine is made in its world. One of a real engine is discovered, and this says what it counts as, now and after every later look at the engine: it has no more than these sizes, so that the rest is yours, and the GPUs that are listed have this model and memory (those that are not stay as found; where a GPU sits and in which region the host is only its engine says). What instances hold cannot be taken away: neither by a smaller size or other GPUs, nor by another region or engine. Whether it is cordoned stays.
         */
        put: operations["putHost"];
        post?: never;
        /**
         * Delete a host
         * @description Of a discovered host that a PUT has overridden, ends the override and nothing else. Otherwise removes the host; refused while instances hold any of it: cordon it, and wait for them to go. A discovered host that its engine still has comes back with the next look at the engine.
         */
        delete: operations["deleteHost"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hosts/{name}/cordon": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Keep new instances off a host
         * @description What is on it stays. May be repeated.
         */
        post: operations["cordonHost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hosts/{name}/uncordon": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let new instances on a host again
         * @description Ends a cordon. May be repeated.
         */
        post: operations["uncordonHost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/engines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List engines
         * @description What runs machines, by name: how many hosts and instances each has, and how its last sweep went.
         */
        get: operations["listEngines"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/instance-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List instance types
         * @description All instance types, by name.
         */
        get: operations["listInstanceTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/instance-types/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Create or replace an instance type
         * @description Instances that were launched keep the type and the price they were launched with.
         */
        put: operations["putInstanceType"];
        post?: never;
        /**
         * Delete an instance type
         * @description It can no longer be launched; its instances live on.
         */
        delete: operations["deleteInstanceType"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/images": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List images
         * @description All images, by name.
         */
        get: operations["listImages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/images/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Create or replace an image
         * @description Where no image is the default one, the one with the lowest number counts as it.
         */
        put: operations["putImage"];
        post?: never;
        /**
         * Delete an image
         * @description It can no longer be launched; its instances live on.
         */
        delete: operations["deleteImage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/coupons": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List coupons
         * @description All coupons, by code; expired ones too.
         */
        get: operations["listCoupons"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/coupons/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Create or replace a coupon
         * @description Instances that were launched with it keep the discount they have.
         */
        put: operations["putCoupon"];
        post?: never;
        /**
         * Delete a coupon
         * @description It can no longer be used; instances that were launched with it keep the discount they have.
         */
        delete: operations["deleteCoupon"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/capacity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain what fits where, and what does not
         * @description For each instance type and region: how many hosts are left after each condition of a launch.
         */
        get: operations["explainCapacity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/encryption": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read which encryption keys there are
         * @description By their ids: which key seals, and how much is sealed with each. Counts everything: for people.
         */
        get: operations["getEncryption"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/encryption/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Re-encrypt everything with a new key
         * @description Where the server keeps its keys in its key file and is the only one that runs, with a key that it makes; otherwise with the first of its keys, which every running server must have and seal with. It happens soon after the answer, online, and goes on after a crash: look at `GET /encryption`. While one is under way, the answer is that one.
         */
        post: operations["rotateEncryption"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/encryption/retire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove an old key from the key file
         * @description Of the server that answers. Refused while a server seals with it or anything is sealed with it. Backups of before the rotation still need the key: keep a copy with them.
         */
        post: operations["retireEncryptionKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/replicas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the servers that run
         * @description All servers of this database. One that was not seen for 15 seconds is gone.
         */
        get: operations["listReplicas"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Account: {
            /** Format: uuid */
            id: string;
            /** @example acme */
            name: string;
            status: components["schemas"]["AccountStatus"];
            quotas: components["schemas"]["Counts"];
            /** @description What counts against the quotas now. */
            used: components["schemas"]["Counts"];
            spend_limit_cents: number | null;
            /** @description What was used of the spend limit since the month (UTC) began, up to now; with six fractional digits. Null where there is no limit. */
            spent_this_month_cents: string | null;
            max_lifetime_seconds: number | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
        };
        AccountList: {
            data: components["schemas"]["Account"][];
        };
        AccountResponse: {
            data: components["schemas"]["Account"];
        };
        /** @enum {string} */
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
            /** Format: uuid */
            id: string;
            /** @example laptop */
            name: string;
            /** @description One line, as in an authorized_keys file. */
            public_key: string;
            /** @description SHA-256, as `ssh-keygen -l` shows it. */
            fingerprint: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /** @description In OpenSSH's format. Of a generated pair only, in this answer only, and kept nowhere. */
            private_key?: string;
        };
        AddedSshKeyResponse: {
            data: components["schemas"]["AddedSshKey"];
        };
        AppliedCoupon: {
            code: string;
            /** Format: double */
            discount_percent: number;
        };
        /** @enum {string} */
        Architecture: "x86_64" | "arm64";
        /** @enum {string} */
        AttemptError: "status" | "redirect" | "gone" | "target_refused" | "name_not_found" | "connection_refused" | "connection_failed" | "tls" | "timeout" | "invalid_answer";
        AuditEntry: {
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            at: string;
            /**
             * Format: uuid
             * @description Of the token that asked.
             */
            account_id: string;
            /** Format: uuid */
            token_id: string;
            /** @description Whose objects an operator changed, where it is another account. */
            changed_account_id: string | null;
            /** @description Where the request came from. Null where that is an operator's. */
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
            /** @description Ids and names of what it was about, and of what it made. */
            objects: string[];
            /** @description `replayed`: an answer given again for an Idempotency-Key. `refused` and `failed` changed nothing. */
            result: components["schemas"]["AuditResult"];
            /**
             * @description Of the answer.
             * @example 200
             */
            status: number;
            error_code: string | null;
            /** @description Why it was done, where the request stated it. */
            reason: string | null;
            /** @description X-Request-Id of the answer. */
            request_id: string;
        };
        AuditEntryList: {
            data: components["schemas"]["AuditEntry"][];
        };
        /** @enum {string} */
        AuditResult: "done" | "replayed" | "refused" | "failed";
        ChangeAccountRequest: {
            /**
             * @description 1 to 64 characters on one line, without space at the ends.
             * @example acme
             */
            name?: string;
            /** @description Default of a new account: `active`. */
            status?: components["schemas"]["AccountStatus"];
            /** @description How much it may have at once. What a new account is not given is the configured default. */
            quotas?: components["schemas"]["Quotas"];
            /** @description Of a month (UTC). When so much was used, nothing new is launched and all that it rents is terminated, stopped instances too, because they cost the same; an event warns before. Null: no limit, which is the default of a new account unless another is configured. */
            spend_limit_cents?: number | null;
            /** @description How long what it launches from now on may live: the default, and the most that a launch can ask for. Counted from when an instance is billed for the first time (when it is first active, or first stopped); then it is terminated. Null: no end, which is the default of a new account unless another is configured. */
            max_lifetime_seconds?: number | null;
        };
        ChangeFirewallRulesetRequest: {
            /**
             * @description 1 to 64 characters, not unique.
             * @example web servers
             */
            name?: string;
            /** @description What may come in: whatever one of the rules lets in. */
            rules?: components["schemas"]["GivenFirewallRule"][];
        };
        ChangeInstanceRequest: {
            /**
             * @description 1 to 64 characters; empty: the default name.
             * @example training
             */
            name?: string;
            /** @description Your own labels: all of them. */
            tags?: components["schemas"]["Tag"][];
            /** @description Counted from when it is billed for the first time (when it is first active, or first stopped); then it is terminated, and an event warns before. At most what the account's instances may live, which is the default too; null: without end. */
            max_lifetime_seconds?: number | null;
        };
        ChangeToken: {
            /** @description Of what this token launches, in a month (UTC). When so much was used, it launches nothing more, and what it launched is terminated, stopped instances too; an event warns before. Null, the default: no limit but the account's. */
            spend_limit_cents: number | null;
        };
        ChangeWebhookRequest: {
            /**
             * @description An https URL without user name and password, of an address on the public internet. The operator may allow more.
             * @example https://example.com/hooks/lessor
             */
            url?: string;
            /**
             * @description For people. Default: none.
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
            /** @description Default: true. Switched on again, it goes on where it stood. */
            active?: boolean;
        };
        /** @enum {string} */
        CompatibilityVersion: "1.0.3" | "vendor-1.0";
        ConsoleLog: {
            /** @description Empty where it wrote nothing, or the engine keeps nothing. */
            text: string;
            /** @description Whether there is more before this: only the last 1 MiB is shown. */
            truncated: boolean;
        };
        ConsoleLogResponse: {
            data: components["schemas"]["ConsoleLog"];
        };
        Cost: {
            /**
             * @description Millionths of a cent, a whole number.
             * @example 1037500
             */
            cost_micro_cents: string;
            /**
             * @description The same in cents, with six fractional digits.
             * @example 1.037500
             */
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
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            deactivation_date: string;
            instance_types: string[];
            active: boolean;
        };
        CouponList: {
            data: components["schemas"]["Coupon"][];
        };
        CouponResponse: {
            data: components["schemas"]["Coupon"];
        };
        CreateAccountRequest: {
            /**
             * @description 1 to 64 characters on one line, without space at the ends.
             * @example acme
             */
            name: string;
            /** @description Default of a new account: `active`. */
            status?: components["schemas"]["AccountStatus"];
            /** @description How much it may have at once. What a new account is not given is the configured default. */
            quotas?: components["schemas"]["Quotas"];
            /** @description Of a month (UTC). When so much was used, nothing new is launched and all that it rents is terminated, stopped instances too, because they cost the same; an event warns before. Null: no limit, which is the default of a new account unless another is configured. */
            spend_limit_cents?: number | null;
            /** @description How long what it launches from now on may live: the default, and the most that a launch can ask for. Counted from when an instance is billed for the first time (when it is first active, or first stopped); then it is terminated. Null: no end, which is the default of a new account unless another is configured. */
            max_lifetime_seconds?: number | null;
        };
        CreateFileSystemRequest: {
            /**
             * @description 1 to 64 of letters, digits, `.`, `_` and `-`, not starting with `.` or `-`; unique in your account.
             * @example models
             */
            name: string;
            /**
             * @description The name of a region. Only instances there can have it.
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
            /** @description What may come in: whatever one of the rules lets in. */
            rules: components["schemas"]["GivenFirewallRule"][];
        };
        CreateToken: {
            /**
             * @description 1 to 64 characters on one line, without space at the ends.
             * @example ci
             */
            name: string;
            /** @description One given twice counts once. `read`: look. `write`: change. `operator`: the operators' part of this interface. None implies another. */
            scopes: components["schemas"]["Scope"][];
            /** @description Null: it does not expire. Without it: as the token of this request, which makes none that expires later. */
            expires_at?: string | null;
            /** @description Of what this token launches, in a month (UTC). When so much was used, it launches nothing more, and what it launched is terminated, stopped instances too; an event warns before. Null, the default: no limit but the account's. */
            spend_limit_cents?: number | null;
            /** @description `1.0.3`: For clients that reject unknown or missing fields: the reference interface and its lambda edition respond in exactly the shapes of version 1.0.3. `vendor-1.0`: For clients generated from the vendor's own document: the direct interface responds with that document's types (passwords and prices as strings, discounts as fractions), and a restart there reboots a running instance. Null, the default: the current edition. It never changes. */
            compatibility_version?: components["schemas"]["CompatibilityVersion"] | null;
        };
        CreateWebhookRequest: {
            /**
             * @description An https URL without user name and password, of an address on the public internet. The operator may allow more.
             * @example https://example.com/hooks/lessor
             */
            url: string;
            /**
             * @description For people. Default: none.
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
            /** @description Default: true. Switched on again, it goes on where it stood. */
            active?: boolean;
        };
        Delivery: {
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description What is sent as webhook-id.
             */
            event_id: string;
            /** @example instance.active */
            event_type: string;
            status: components["schemas"]["DeliveryStatus"];
            /** @description A test, or sent again. */
            asked_for: boolean;
            attempts: number;
            /** @description Null while it waits for an earlier one of the same subject, and after. */
            next_attempt_at: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            finished_at: string | null;
        };
        DeliveryInFull: {
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description What is sent as webhook-id.
             */
            event_id: string;
            /** @example instance.active */
            event_type: string;
            status: components["schemas"]["DeliveryStatus"];
            /** @description A test, or sent again. */
            asked_for: boolean;
            attempts: number;
            /** @description Null while it waits for an earlier one of the same subject, and after. */
            next_attempt_at: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            finished_at: string | null;
            /** @description What is sent, at every attempt the same bytes. */
            body: string;
            /** @description The last 50 attempts, oldest first. */
            log: {
                /**
                 * Format: date-time
                 * @example 2026-03-01T12:00:00.000Z
                 */
                at: string;
                /** @description Null where there was no answer. */
                status_code: number | null;
                milliseconds: number;
                /** @description Null: delivered. */
                error: components["schemas"]["AttemptError"] | null;
                /** @description The first KiB of the answer's body. */
                answer: string;
            }[];
        };
        DeliveryInFullResponse: {
            data: components["schemas"]["DeliveryInFull"];
        };
        DeliveryList: {
            data: components["schemas"]["Delivery"][];
        };
        DeliveryResponse: {
            data: components["schemas"]["Delivery"];
        };
        /** @enum {string} */
        DeliveryStatus: "pending" | "delivered" | "failed";
        /** @enum {string} */
        DisabledReason: "failing" | "gone";
        Encryption: {
            /**
             * @description Of the server that answers.
             * @enum {string}
             */
            keys_from: "file" | "environment";
            /**
             * @description First 8 hexadecimal digits of the SHA-256 of the key.
             * @example 9f2c61d4
             */
            current_key_id: string;
            /** @description The keys of that server, the first is the one that is to seal; and those that it lacks. */
            keys: {
                /**
                 * @description First 8 hexadecimal digits of the SHA-256 of the key.
                 * @example 9f2c61d4
                 */
                id: string;
                /** @description Whether the server that answers seals with it. */
                current: boolean;
                /** @description Whether that server has it. */
                known: boolean;
                /**
                 * Format: int64
                 * @description How many values are sealed with it.
                 */
                values: number;
                /** @description The same, kind by kind. */
                kinds: {
                    [key: string]: number;
                };
            }[];
            /** @description The one under way, or the last one. */
            rotation: components["schemas"]["Rotation"] | null;
        };
        EncryptionResponse: {
            data: components["schemas"]["Encryption"];
        };
        Engine: {
            /** @example cluster-a */
            name: string;
            /** @description Null: hosts or instances are its, and this server's settings do not have it, so nothing is done to them. */
            kind: ("simulated" | "incus" | "libvirt") | null;
            hosts: number;
            /** @description How many of them the engine says are there. */
            hosts_available: number;
            hosts_cordoned: number;
            /** @description Not terminated. */
            instances: number;
            /** @description How many of them cannot be reached. */
            instances_unreachable: number;
            /** @description When its hosts and machines were last compared with what is known of them, well or not; null: never. */
            last_sweep_at: string | null;
            /** @description Why that failed; null where it went well. */
            last_sweep_error: string | null;
            /** @description When that went well last. */
            last_good_sweep_at: string | null;
        };
        EngineList: {
            data: components["schemas"]["Engine"][];
        };
        Error: {
            error: {
                /** @description Stable; what a program should look at. */
                code: string;
                /** @description One sentence for people. */
                message: string;
                /** @description What to do about it. */
                suggestion: string;
                /** @description Also in the header X-Request-Id, and in the log of the service. */
                request_id: string;
            };
            /** @description What is wrong with single fields, by their path. */
            field_errors?: {
                [key: string]: components["schemas"]["FieldError"];
            };
        };
        Event: {
            /** Format: uuid */
            id: string;
            /**
             * @description Subject and what happened.
             * @example instance.active
             * @example ssh_key.created
             */
            type: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            timestamp: string;
            /**
             * Format: uuid
             * @description For operators: whose event it is.
             */
            account_id?: string;
            /** @description Depends on the type: names, ids and states. */
            data: Record<string, never>;
        };
        Failure: {
            /** @description Stable. */
            code: string;
            message: string;
        };
        FieldError: {
            code: string;
            message: string;
        };
        FileSystem: {
            /** Format: uuid */
            id: string;
            /** @example models */
            name: string;
            /** @example us-east-1 */
            region: string;
            size_gb: number;
            /** @description The instance it is attached to; the first of several. */
            attached_to: string | null;
            /** @description All instances it is attached to. */
            instance_ids: string[];
            /** @description Whether its storage allows several instances at once. Known once it was attached; until then false. */
            multi_attach: boolean;
            /** @description On its storage, as its engine measured last. */
            bytes_used: number | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
        };
        FileSystemList: {
            data: components["schemas"]["FileSystem"][];
        };
        FileSystemMount: {
            /**
             * @description An absolute path of letters, digits, `.`, `_` and `-`, up to 254 characters, outside of the system's directories and of the mount points of the other file systems.
             * @example /data/models
             */
            mount_point: string;
            /**
             * @description The id of a file system in the same region.
             * @example 0198c5a4-33cc-7dd4-9ee5-ff6677889900
             */
            file_system_id: string;
        };
        FileSystemResponse: {
            data: components["schemas"]["FileSystem"];
        };
        /** @enum {string} */
        FirewallProtocol: "tcp" | "udp" | "icmp" | "all";
        FirewallRule: {
            /** @description `all` is TCP and UDP; with the ports 1 to 65535 it is whatever else there is too. */
            protocol: components["schemas"]["FirewallProtocol"];
            /**
             * @description Two ports, both included, the smaller one first. Not for icmp; needed for every other protocol.
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
            /** @description What may come in: whatever one of the rules lets in. */
            data: components["schemas"]["FirewallRule"][];
        };
        FirewallRuleset: {
            /** Format: uuid */
            id: string;
            /**
             * @description 1 to 64 characters, not unique.
             * @example web servers
             */
            name: string;
            region: components["schemas"]["Region"];
            /** @description What may come in: whatever one of the rules lets in. */
            rules: components["schemas"]["FirewallRule"][];
            /** @description Live instances that were launched with it. */
            instance_ids: string[];
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
        };
        FirewallRulesetList: {
            data: components["schemas"]["FirewallRuleset"][];
        };
        FirewallRulesetResponse: {
            data: components["schemas"]["FirewallRuleset"];
        };
        GetUsageByDayResponse: {
            data: components["schemas"]["UsageDay"][];
            total: components["schemas"]["Cost"];
        };
        GetUsageByMonthResponse: {
            data: components["schemas"]["UsageMonth"][];
            total: components["schemas"]["Cost"];
        };
        GetUsageResponse: {
            data: components["schemas"]["UsageLine"][];
            total: components["schemas"]["Cost"];
        };
        GivenFirewallRule: {
            /** @description `all` is TCP and UDP; with the ports 1 to 65535 it is whatever else there is too. */
            protocol: components["schemas"]["FirewallProtocol"];
            port_range?: number[] | null;
            /**
             * @description An IPv4 or IPv6 network in CIDR notation, or one address.
             * @example 0.0.0.0/0
             */
            source_network: string;
            /** @description Up to 128 characters; none by default. */
            description?: string;
        };
        Gpu: {
            address: string;
            model: string;
            /** @description 0: its engine cannot say. */
            memory_gib: number;
            numa_node: number;
            healthy: boolean;
            /** @description The instance that has it. */
            held_by: string | null;
            /** @description The state of that instance. */
            holder_status: components["schemas"]["InstanceStatus"] | null;
        };
        Host: {
            /** @example us-east-1-h100-01 */
            name: string;
            engine: string;
            region: string;
            vcpus: number;
            memory_gib: number;
            storage_gb: number;
            /** @description By address. */
            gpus: components["schemas"]["Gpu"][];
            free_vcpus: number;
            free_memory_gib: number;
            free_storage_gb: number;
            /** @description Your switch: nothing new is placed on it. */
            cordoned: boolean;
            /** @description Whether its engine says that it is there. */
            available: boolean;
            /** @description What a PUT made of a host that its engine discovered; null: it is as found. */
            overridden: components["schemas"]["HostOverrides"] | null;
        };
        HostCapacity: {
            /** @example gpu_1x_h100_pcie */
            instance_type: string;
            regions: {
                /** @example us-east-1 */
                region: string;
                /** @description Hosts in the region. */
                hosts: number;
                /** @description In the order in which they are applied. One instance fits where the last leaves a host. */
                filters: {
                    /** @enum {string} */
                    filter: "available" | "not-cordoned" | "gpu-model" | "gpus-free" | "vcpus-free" | "memory-free" | "storage-free";
                    /** @description Hosts left after this filter and all before it. */
                    hosts_left: number;
                }[];
            }[];
        };
        HostCapacityList: {
            data: components["schemas"]["HostCapacity"][];
        };
        HostList: {
            data: components["schemas"]["Host"][];
        };
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
        HostResponse: {
            data: components["schemas"]["Host"];
        };
        Image: {
            /** @example ubuntu-24.04-cuda */
            name: string;
            number: number;
            description: string;
            family: string;
            version: string;
            architecture: components["schemas"]["Architecture"];
            login_user: string;
            unsupported_gpu_models: string[];
            jupyter: boolean;
            default: boolean;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            updated_at: string;
        };
        ImageList: {
            data: components["schemas"]["Image"][];
        };
        ImageResponse: {
            data: components["schemas"]["Image"];
        };
        Instance: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            account_id: string;
            /** @example training */
            name: string;
            hostname: string;
            /** @description The state itself, without the words of any variant. */
            status: components["schemas"]["InstanceStatus"];
            /** @enum {string} */
            health: "ok" | "unreachable";
            /** @description What it is waiting for while it boots. */
            progress: string | null;
            /** @description Why it could not be brought up, or was lost. */
            failure: components["schemas"]["Failure"] | null;
            ip: string | null;
            region: components["schemas"]["Region"];
            /** @description As it was at launch, with its price. */
            instance_type: components["schemas"]["InstanceType"];
            /** @description As it was at launch. */
            coupon: components["schemas"]["AppliedCoupon"] | null;
            image: {
                name: string;
                number: number;
                description: string;
            };
            login_user: string;
            /**
             * @description How people log in by SSH. `ssh_key`: with one of its SSH keys; `password`: with its password; `unknown`: it has neither, but its command or its user data may have set something up; `none`: nobody can: it has no SSH key and no password.
             * @enum {string}
             */
            login: "ssh_key" | "password" | "unknown" | "none";
            /** @description Whether its machine is simulated: nothing answers at its address. */
            simulated: boolean;
            ssh_key_names: string[];
            file_system_names: string[];
            file_system_mounts: components["schemas"]["FileSystemMount"][];
            /** @description The customer's own labels. */
            tags: components["schemas"]["Tag"][];
            /** @description The firewall rulesets it was launched with. */
            firewall_ruleset_ids: string[];
            /** @description Whether firewall rules that were changed have still to reach its machine. */
            firewall_pending: boolean;
            /** @description Whether it was launched with environment variables, which are not shown. */
            has_env_vars: boolean;
            /** @description Whether it was launched with user data, which is not shown. */
            has_user_data: boolean;
            /** @description The token that launched it. */
            token_id: string | null;
            /** @description How long it may live, from when it is billed for the first time: when it is first active, or first stopped. Null: without end. */
            max_lifetime_seconds: number | null;
            /** @description When that is over, and it is terminated; null until it is billed. */
            expires_at: string | null;
            /** @description Why it was terminated; null before. `customer`: its account asked for it; `operator`: its provider terminated it, for the reason that the event and the audit log state; `spend-limit`: the spend limit of its account or of the token that launched it was reached; `lifetime`: its max_lifetime_seconds were over; `failure`: it could not be brought up, or its machine is gone. */
            ended_by: ("customer" | "operator" | "spend-limit" | "lifetime" | "failure") | null;
            /**
             * @description Millionths of a cent, a whole number.
             * @example 1037500
             */
            cost_micro_cents: string;
            /**
             * @description The same in cents, with six fractional digits.
             * @example 1.037500
             */
            cost_cents: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /** @description When it became active for the first time. Its billing began then, unless it was stopped before. */
            active_at: string | null;
            /** @description When its removal was asked for, and its billing ended. */
            terminating_at: string | null;
            /** @description When nothing of it was left. */
            terminated_at: string | null;
            /** @description The password of `login_user`. Null: it has none, or the instance has ended. Only in a read of one instance, for tokens of its account with the scope `write`. */
            password?: string | null;
            /** @description What was run at first boot. Only in a read of one instance, for tokens of its account with the scope `write`. */
            command?: string | null;
            engine?: string;
            host?: string;
            gpu_addresses?: string[];
            /** @description Rises with every wish. */
            generation?: number;
            /** @description Behind `generation` while there is work to do. */
            fulfilled_generation?: number;
            /** @description How often the present work was tried. */
            attempts?: number;
            /** @description When it is worked on next; null where there is nothing to do. */
            next_look_at?: string | null;
            /** @description What is the matter with the work on it. `tried-again`: what was asked of the engine failed, or was cut off, and is tried again; `slow`: what was wished three minutes ago or longer is not so yet. */
            trouble?: {
                /** @enum {string} */
                kind: "tried-again" | "slow";
                /** @description What the engine said last, or what is waited for, where that is known. */
                reason: string | null;
                /**
                 * Format: date-time
                 * @description When what is not so yet was wished.
                 */
                since: string;
            } | null;
        };
        InstanceList: {
            data: components["schemas"]["Instance"][];
        };
        InstanceResponse: {
            data: components["schemas"]["Instance"];
        };
        /** @enum {string} */
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
            architecture: components["schemas"]["Architecture"];
        };
        InstanceTypeList: {
            data: components["schemas"]["InstanceType"][];
        };
        InstanceTypeResponse: {
            data: components["schemas"]["InstanceType"];
        };
        LaunchInstancesRequest: {
            /** @example gpu_1x_h100_pcie */
            instance_type: string;
            /**
             * @description `any` for the best region with capacity, or the name of a region.
             * @example any
             */
            region?: string;
            /** @description All or none. 1 unless told. */
            quantity?: number;
            /**
             * @description 1 to 64 characters, not unique. Several instances have it with a number each: `training-1`, `training-2`. Without one: the instance type's name and 8 hexadecimal digits.
             * @example training
             */
            name?: string;
            /** @description Your own labels: all of them. */
            tags?: components["schemas"]["Tag"][];
            /** @description Its name. Without it: the operator's default. */
            image?: string;
            /** @description Of your account. */
            ssh_key_names?: string[];
            /** @description Of your account, in the region. Only with a quantity of 1. */
            file_system_names?: string[];
            /** @description File systems and where to mount them; one that is also named is mounted here. None by default. */
            file_system_mounts?: components["schemas"]["FileSystemMount"][];
            /** @description Of your account, in the region: their rules hold beside those of the account. None by default. */
            firewall_ruleset_ids?: string[];
            /**
             * @description For cloud-init, in any of its formats, as plain text of at most 1048576 bytes. It is never shown again. What Lessor itself sets up (login, keys, env, address, file systems) holds whatever it says.
             * @example #cloud-config
             *     packages: [git]
             */
            user_data?: string;
            /** @description Written to `~/.env` at every boot, and shown nowhere. The same rules as in M's interface. */
            env_vars?: {
                [key: string]: string;
            };
            /** @description Run once, at first boot, as root. */
            command?: string;
            coupon?: string;
            /** @description Without SSH keys: log in with a password, which a read of the instance shows (with the scope `write`). Off unless told. */
            password_without_keys?: boolean;
            /** @description Counted from when it is billed for the first time (when it is first active, or first stopped); then it is terminated, and an event warns before. At most what the account's instances may live, which is the default too; null: without end. */
            max_lifetime_seconds?: number | null;
            /**
             * Format: int64
             * @description For one of them, before a coupon: nothing is launched when the product costs more than that at this moment. Without it: whatever it costs.
             */
            max_price_cents_per_hour?: number;
        };
        ListEventsResponse: {
            data: components["schemas"]["Event"][];
            next_cursor: string;
            /** @description Whether there may be more at this moment: ask again at once. */
            has_more: boolean;
        };
        /** @enum {string} */
        ListFormat: "json" | "csv";
        ListedStatement: {
            /** Format: uuid */
            account_id: string;
            /** @example 2026-03 */
            month: string;
            /** @description Since then nothing of it changes. Null: the month goes on, or was just over. */
            closed_at: string | null;
            /** @description How many lines it has. */
            instances: number;
            /** @description Of all instances together. */
            seconds: number;
            /**
             * @description Millionths of a cent, a whole number.
             * @example 1037500
             */
            cost_micro_cents: string;
            /**
             * @description The same in cents, with six fractional digits.
             * @example 1.037500
             */
            cost_cents: string;
        };
        ListedStatementList: {
            data: components["schemas"]["ListedStatement"][];
        };
        MadeToken: {
            /** Format: uuid */
            id: string;
            /** @example ci */
            name: string;
            scopes: components["schemas"]["Scope"][];
            expires_at: string | null;
            revoked_at: string | null;
            /** @description To the minute. */
            last_used_at: string | null;
            spend_limit_cents: number | null;
            /** @description What was used of the spend limit since the month (UTC) began, up to now; with six fractional digits. Null where there is no limit. */
            spent_this_month_cents: string | null;
            compatibility_version: components["schemas"]["CompatibilityVersion"] | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description Shown this once, and stored nowhere.
             * @example lessor_…
             */
            token: string;
        };
        MadeTokenResponse: {
            data: components["schemas"]["MadeToken"];
        };
        MadeWebhook: {
            /** Format: uuid */
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
            /** @description Why it was switched off by itself: nothing was delivered for a day, or its target answered 410. */
            disabled_reason: components["schemas"]["DisabledReason"] | null;
            /** @description Neither delivered nor failed. */
            pending_deliveries: number;
            /** @description The first failure since the last success. */
            failing_since: string | null;
            /** @description Of the last attempt. Null where it delivered, or there was none. */
            last_failure: components["schemas"]["WebhookFailure"] | null;
            /** @description Attempts failed again and again: the next one is made then, and the others when that delivers. */
            paused_until: string | null;
            /** @description Until when the former secret signs too. */
            previous_secret_until: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description Signs its deliveries. Shown this once.
             * @example whsec_…
             */
            secret: string;
        };
        MadeWebhookResponse: {
            data: components["schemas"]["MadeWebhook"];
        };
        Nothing: Record<string, never>;
        NothingResponse: {
            data: components["schemas"]["Nothing"];
        };
        Offer: {
            instance_type: components["schemas"]["InstanceType"];
            /** @description How many instances of it fit now, in all regions together. */
            available: number;
            /** @description All regions, by name, also those without capacity. */
            regions: components["schemas"]["RegionOfOffer"][];
        };
        OfferList: {
            data: components["schemas"]["Offer"][];
        };
        OwnAccount: {
            /** Format: uuid */
            id: string;
            /** @example acme */
            name: string;
            status: components["schemas"]["AccountStatus"];
            quotas: components["schemas"]["Counts"];
            /** @description What counts against the quotas now. */
            used: components["schemas"]["Counts"];
            spend_limit_cents: number | null;
            /** @description What was used of the spend limit since the month (UTC) began, up to now; with six fractional digits. Null where there is no limit. */
            spent_this_month_cents: string | null;
            max_lifetime_seconds: number | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /** @description The token of this request. */
            token: {
                /** Format: uuid */
                id: string;
                scopes: components["schemas"]["Scope"][];
                compatibility_version: components["schemas"]["CompatibilityVersion"] | null;
            };
        };
        OwnAccountResponse: {
            data: components["schemas"]["OwnAccount"];
        };
        PutCouponRequest: {
            /**
             * Format: double
             * @description 10 means ten per cent; at most two decimals.
             * @example 12.5
             */
            discount_percent: number;
            /**
             * Format: date-time
             * @description From then on it is expired. ISO 8601 with time and offset.
             * @example 2099-12-31T23:59:59.000Z
             */
            deactivation_date: string;
            /** @description Names of the instance types it is for; one given twice counts once. Default: empty, which is all. */
            instance_types?: string[];
            /** @description Your switch. Default: true. */
            active?: boolean;
        };
        PutHostRequest: {
            /**
             * @description What runs its machines.
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
            /** @description Default: none. */
            gpus?: {
                /**
                 * @description Where the host has it, such as its PCI address. Unique on the host.
                 * @example 0000:17:00.0
                 */
                address: string;
                /**
                 * @description 1 to 64 printable ASCII characters, without space at the ends.
                 * @example h100_pcie
                 */
                model: string;
                /** @description 0, of a discovered host only: as it is found. */
                memory_gib: number;
                /** @description Default: 0. */
                numa_node?: number;
            }[];
        };
        PutImageRequest: {
            /** @description How variant D calls the image. Unique. */
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
             * @description In your own words. Default: empty.
             * @example 24.04.2
             */
            version?: string;
            /** @description What it is made for: it runs on instance types of the same. Default: `x86_64`. */
            architecture?: components["schemas"]["Architecture"];
            /**
             * @description The user to log in as. Default: `ubuntu`.
             * @example ubuntu
             */
            login_user?: string;
            /** @description GPU models of instance types that the image cannot run on. Default: none. */
            unsupported_gpu_models?: string[];
            /** @description Whether the image serves Jupyter with the token that each instance is given. Default: false. */
            jupyter?: boolean;
            /** @description Whether a launch without an image takes this one; takes it from others. Default: false. */
            default?: boolean;
        };
        PutInstanceTypeRequest: {
            /**
             * @description Default: the name.
             * @example 1x H100 (80 GB PCIe)
             */
            description?: string;
            /** @description As hosts call it. Null (the default) for a type without GPUs. */
            gpu_model?: string | null;
            /**
             * @description Default: the GPU model, or `N/A` without GPUs.
             * @example H100 (80 GB PCIe)
             */
            gpu_description?: string;
            /** @description Default: 0. */
            gpus?: number;
            vcpus: number;
            memory_gib: number;
            storage_gb: number;
            price_cents_per_hour: number;
            /** @description Of its machines: images of the same run on it. Default: `x86_64`. */
            architecture?: components["schemas"]["Architecture"];
        };
        PutRegionRequest: {
            /**
             * @description Shown to customers. Default: the name.
             * @example Virginia, USA
             */
            description?: string;
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
            /** @description The one that was asked for; null: the best one. */
            region: string | null;
            quantity: number;
            /** @description For one instance, before a coupon. */
            list_price_cents_per_hour: number;
            coupon: components["schemas"]["AppliedCoupon"] | null;
            hourly: components["schemas"]["QuotedCost"];
            monthly: components["schemas"]["QuotedCost"];
            /** @description Whether a launch would find room for all of them now, in one region. */
            fits: boolean;
            /** @description The region in which they would be; null where they do not fit. */
            region_chosen: string | null;
            /** @description Every region with room for all of them, by name. */
            fits_in: components["schemas"]["RegionWithRoom"][];
            /** @description Names the launch would give that live instances of yours have. Names need not be unique. */
            names_in_use: string[];
        };
        QuoteResponse: {
            data: components["schemas"]["Quote"];
        };
        QuotedCost: {
            before_discount: components["schemas"]["Cost"];
            /** @description With the coupon; the same where there is none. */
            after: components["schemas"]["Cost"];
        };
        Reason: {
            /**
             * @description Why, in one line of up to 300 characters: the event and the audit log state it. Required of an operator.
             * @example Scheduled maintenance of the host
             */
            reason?: string;
        };
        Region: {
            /** @example us-east-1 */
            name: string;
            /** @example Ashburn, Virginia */
            description: string;
        };
        RegionList: {
            data: components["schemas"]["Region"][];
        };
        RegionOfOffer: {
            /** @example us-east-1 */
            name: string;
            description: string;
            /** @description How many instances of the type fit there now. */
            available: number;
            /** @description Whether a host there could hold one at all: false where the region lacks the GPU model. */
            offered: boolean;
        };
        RegionResponse: {
            data: components["schemas"]["Region"];
        };
        RegionWithRoom: {
            /** @example us-east-1 */
            name: string;
            description: string;
            /** @description How many instances of the type fit there now. */
            available: number;
        };
        ReplaceFirewallRulesRequest: {
            /** @description What may come in: whatever one of the rules lets in. */
            rules: components["schemas"]["GivenFirewallRule"][];
        };
        Replica: {
            /** Format: uuid */
            id: string;
            /**
             * @description Name of the machine.
             * @example lessor-1
             */
            host: string;
            /** @description Number of the process on it. */
            pid: number;
            /** @example 1.0.0 */
            version: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            started_at: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            seen_at: string;
            /**
             * @description Ids of the encryption keys it has.
             * @example [
             *       "9f2c61d4"
             *     ]
             */
            key_ids: string[];
            /**
             * @description The id of the key it seals with.
             * @example 9f2c61d4
             */
            current_key_id: string;
        };
        ReplicaList: {
            data: components["schemas"]["Replica"][];
        };
        RetireEncryptionKeyRequest: {
            /**
             * @description The id of an old key.
             * @example 41d0aa7e
             */
            key_id: string;
        };
        RotateEncryptionRequest: Record<string, never>;
        RotateWebhookSecretRequest: {
            /** @description How long the present secret signs too; 0: no former one signs any more. Default: 86400, a day. */
            overlap_seconds?: number;
        };
        Rotation: {
            /**
             * @description `incomplete`: it has ended, and `problem` says what was not done.
             * @enum {string}
             */
            state: "running" | "done" | "incomplete";
            /** @description Whether a new key is made for it. */
            makes_key: boolean;
            /** @description What everything is sealed with in the end. Null until a new key is in use. */
            key_id: string | null;
            /**
             * Format: int64
             * @description How many values were re-encrypted.
             */
            resealed: number;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            asked_at: string;
            finished_at: string | null;
            /** @description What it waits for, or why something was left undone. */
            problem: string | null;
        };
        RotationResponse: {
            data: components["schemas"]["Rotation"];
        };
        /** @enum {string} */
        Scope: "read" | "write" | "operator";
        SshKey: {
            /** Format: uuid */
            id: string;
            /** @example laptop */
            name: string;
            /** @description One line, as in an authorized_keys file. */
            public_key: string;
            /** @description SHA-256, as `ssh-keygen -l` shows it. */
            fingerprint: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
        };
        SshKeyList: {
            data: components["schemas"]["SshKey"][];
        };
        Statement: {
            /** @description Null where it is of all accounts. */
            account_id: string | null;
            /** @example 2026-03 */
            month: string;
            /** @description Since then nothing of it changes. Null: the month goes on, or was just over. */
            closed_at: string | null;
            /** @description How many lines it has. */
            instances: number;
            /** @description Of all instances together. */
            seconds: number;
            /**
             * @description Millionths of a cent, a whole number.
             * @example 1037500
             */
            cost_micro_cents: string;
            /**
             * @description The same in cents, with six fractional digits.
             * @example 1.037500
             */
            cost_cents: string;
            lines: components["schemas"]["StatementLine"][];
        };
        StatementLine: {
            /** Format: uuid */
            account_id: string;
            /** @example 2026-03 */
            month: string;
            /** Format: uuid */
            instance_id: string;
            instance_name: string;
            instance_type: string;
            region: string;
            seconds: number;
            /** @description Before the discount. */
            price_cents_per_hour: number;
            /** Format: double */
            discount_percent: number;
            coupon: string | null;
            /**
             * @description Millionths of a cent, a whole number.
             * @example 1037500
             */
            cost_micro_cents: string;
            /**
             * @description The same in cents, with six fractional digits.
             * @example 1.037500
             */
            cost_cents: string;
        };
        StatementResponse: {
            data: components["schemas"]["Statement"];
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
        Token: {
            /** Format: uuid */
            id: string;
            /** @example ci */
            name: string;
            scopes: components["schemas"]["Scope"][];
            expires_at: string | null;
            revoked_at: string | null;
            /** @description To the minute. */
            last_used_at: string | null;
            spend_limit_cents: number | null;
            /** @description What was used of the spend limit since the month (UTC) began, up to now; with six fractional digits. Null where there is no limit. */
            spent_this_month_cents: string | null;
            compatibility_version: components["schemas"]["CompatibilityVersion"] | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
        };
        TokenList: {
            data: components["schemas"]["Token"][];
        };
        TokenResponse: {
            data: components["schemas"]["Token"];
        };
        UsageDay: {
            /**
             * Format: date
             * @example 2026-03-01
             */
            day: string;
            /** Format: uuid */
            account_id: string;
            /** @description With `per=instance`; otherwise null, for a line is of several instances then. */
            instance_id: string | null;
            instance_name: string | null;
            /** @description Of all its instances together. */
            seconds: number;
            /**
             * @description Millionths of a cent, a whole number.
             * @example 1037500
             */
            cost_micro_cents: string;
            /**
             * @description The same in cents, with six fractional digits.
             * @example 1.037500
             */
            cost_cents: string;
            /** @description With `per=instance_type`; otherwise null. */
            instance_type: string | null;
            /** @description With `per=token`: what launched the instances, null where that is not known. Otherwise null. */
            token_id: string | null;
            /** @description How many were in use. One that was used on two days counts in both. */
            instances: number;
        };
        UsageLine: {
            /** Format: uuid */
            account_id: string;
            /** Format: uuid */
            instance_id: string;
            instance_name: string;
            instance_type: string;
            region: string;
            /**
             * Format: date-time
             * @description When it was first active, or first stopped.
             */
            started_at: string;
            /** @description When its removal was asked for; null while it is rented. */
            ended_at: string | null;
            seconds: number;
            /** @description Before the discount. */
            price_cents_per_hour: number;
            /** Format: double */
            discount_percent: number;
            coupon: string | null;
            /**
             * @description Millionths of a cent, a whole number.
             * @example 1037500
             */
            cost_micro_cents: string;
            /**
             * @description The same in cents, with six fractional digits.
             * @example 1.037500
             */
            cost_cents: string;
            /** @description What launched it, also after it was revoked; null where that is not known. */
            token_id: string | null;
        };
        UsageMonth: {
            /** @example 2026-03 */
            month: string;
            /** Format: uuid */
            account_id: string;
            /** @description With `per=instance`; otherwise null, for a line is of several instances then. */
            instance_id: string | null;
            instance_name: string | null;
            /** @description Of all its instances together. */
            seconds: number;
            /**
             * @description Millionths of a cent, a whole number.
             * @example 1037500
             */
            cost_micro_cents: string;
            /**
             * @description The same in cents, with six fractional digits.
             * @example 1.037500
             */
            cost_cents: string;
            /** @description With `per=instance_type`; otherwise null. */
            instance_type: string | null;
            /** @description With `per=token`: what launched the instances, null where that is not known. Otherwise null. */
            token_id: string | null;
            /** @description How many were in use. One that was used on two days counts in both. */
            instances: number;
        };
        /** @enum {string} */
        UsagePart: "account" | "instance" | "instance_type" | "token";
        Webhook: {
            /** Format: uuid */
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
            /** @description Why it was switched off by itself: nothing was delivered for a day, or its target answered 410. */
            disabled_reason: components["schemas"]["DisabledReason"] | null;
            /** @description Neither delivered nor failed. */
            pending_deliveries: number;
            /** @description The first failure since the last success. */
            failing_since: string | null;
            /** @description Of the last attempt. Null where it delivered, or there was none. */
            last_failure: components["schemas"]["WebhookFailure"] | null;
            /** @description Attempts failed again and again: the next one is made then, and the others when that delivers. */
            paused_until: string | null;
            /** @description Until when the former secret signs too. */
            previous_secret_until: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
        };
        WebhookFailure: {
            error: components["schemas"]["AttemptError"];
            /** @description Null where there was no answer. */
            status_code: number | null;
        };
        WebhookList: {
            data: components["schemas"]["Webhook"][];
        };
        WebhookResponse: {
            data: components["schemas"]["Webhook"];
        };
    };
    responses: {
        /**
         * @description `global/account-inactive`: the token is valid, and its account is switched off.
         *
         *     `global/forbidden`: the token's scopes do not cover the operation.
         */
        AccountInactiveOrForbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `global/conflict`: the object is in use, or otherwise not in a state that allows the operation. */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description `global/conflict`: the object is in use, or otherwise not in a state that allows the operation.
         *
         *     `idempotency/in-progress`: another request with the same Idempotency-Key has not been answered yet.
         */
        ConflictOrIdempotencyInProgress: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description `global/duplicate`: a name that must be unique is taken.
         *
         *     `idempotency/in-progress`: another request with the same Idempotency-Key has not been answered yet.
         */
        DuplicateOrIdempotencyInProgress: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `idempotency/in-progress`: another request with the same Idempotency-Key has not been answered yet. */
        IdempotencyInProgress: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `idempotency/key-reused`: the Idempotency-Key was used within 24 hours with another path or body, or by another token than this one, which has a spend limit or expires before it. */
        IdempotencyKeyReused: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `global/internal-error`: a defect of the service; its log has the details under the request_id. */
        InternalError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `global/invalid-api-key`: no token was sent, or it is malformed, unknown, expired or revoked. */
        InvalidApiKey: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `global/invalid-parameters`: the path, the query or the headers are not well-formed. */
        MalformedRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description `global/invalid-parameters`: the path, the query or the headers are not well-formed.
         *
         *     `global/invalid-parameters`: a value in the request breaks a rule, or has the wrong type.
         */
        MalformedRequestOrInvalidParameters: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description `global/invalid-parameters`: the path, the query or the headers are not well-formed.
         *
         *     `global/invalid-parameters`: a value in the request breaks a rule, or has the wrong type.
         *
         *     `global/invalid-parameters`: the body is not JSON in UTF-8, is nested too deeply, or has too many values.
         */
        MalformedRequestOrInvalidParametersOrMalformedBody: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `global/payload-too-large`: the body is larger than 1 MiB (configurable). */
        PayloadTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description `global/quota-exceeded`: the account would hold more than it may hold at once.
         *
         *     `global/account-inactive`: the token is valid, and its account is switched off.
         *
         *     `global/forbidden`: the token's scopes do not cover the operation.
         */
        QuotaExceededOrAccountInactiveOrForbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `global/rate-limited`: the requests of one minute are used up: of the token, of the address, or of an address without a valid token (configurable). */
        RateLimited: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `global/unavailable`: the database does not answer or has no space (then nothing is created, and instances can still be terminated), there are more requests than can be served, or the server is being stopped. */
        Unavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description `global/object-does-not-exist`: the body, or a filter, names an instance type, region, key, image, file system or coupon that does not exist.
         *
         *     `global/invalid-parameters`: the path, the query or the headers are not well-formed.
         *
         *     `global/invalid-parameters`: a value in the request breaks a rule, or has the wrong type.
         */
        UnknownNameOrMalformedRequestOrInvalidParameters: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description `global/object-does-not-exist`: the body, or a filter, names an instance type, region, key, image, file system or coupon that does not exist.
         *
         *     `global/invalid-parameters`: the path, the query or the headers are not well-formed.
         *
         *     `global/invalid-parameters`: a value in the request breaks a rule, or has the wrong type.
         *
         *     `global/invalid-parameters`: the body is not JSON in UTF-8, is nested too deeply, or has too many values.
         */
        UnknownNameOrMalformedRequestOrInvalidParametersOrMalformedBody: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `global/object-does-not-exist`: a path or a list of identifiers names something that does not exist, or is another account's. */
        UnknownObject: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getOwnAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnAccountResponse"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /**
                 * @description At most so many entries. Without it: all.
                 * @example 50
                 */
                limit?: number;
                /** @description Where to go on: taken from the `Link` header of the page before, never made by hand. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenList"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description For 24 hours a request repeated with the same key gets the first answer and has no second effect.
                 * @example 0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateToken"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description This answer is a repetition. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeTokenResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParametersOrMalformedBody"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            409: components["responses"]["ConflictOrIdempotencyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NothingResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeToken"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParametersOrMalformedBody"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSshKeys: {
        parameters: {
            query?: {
                /**
                 * @description At most so many entries. Without it: all.
                 * @example 50
                 */
                limit?: number;
                /** @description Where to go on: taken from the `Link` header of the page before, never made by hand. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SshKeyList"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    addSshKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description For 24 hours a request repeated with the same key gets the first answer and has no second effect.
                 * @example 0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddSshKeyRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description This answer is a repetition. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddedSshKeyResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParametersOrMalformedBody"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["QuotaExceededOrAccountInactiveOrForbidden"];
            409: components["responses"]["DuplicateOrIdempotencyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteSshKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NothingResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            /** @description `global/object-does-not-exist`: the SSH key to delete does not exist, or is another account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listFileSystems: {
        parameters: {
            query?: {
                /**
                 * @description At most so many entries. Without it: all.
                 * @example 50
                 */
                limit?: number;
                /** @description Where to go on: taken from the `Link` header of the page before, never made by hand. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileSystemList"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createFileSystem: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description For 24 hours a request repeated with the same key gets the first answer and has no second effect.
                 * @example 0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateFileSystemRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description This answer is a repetition. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileSystemResponse"];
                };
            };
            400: components["responses"]["UnknownNameOrMalformedRequestOrInvalidParametersOrMalformedBody"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["QuotaExceededOrAccountInactiveOrForbidden"];
            409: components["responses"]["DuplicateOrIdempotencyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteFileSystem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NothingResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            /** @description `global/conflict`: the file system to delete is attached to an instance. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listFirewallRules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FirewallRules"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    replaceFirewallRules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplaceFirewallRulesRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FirewallRules"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParametersOrMalformedBody"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listFirewallRulesets: {
        parameters: {
            query?: {
                /**
                 * @description At most so many entries. Without it: all.
                 * @example 50
                 */
                limit?: number;
                /** @description Where to go on: taken from the `Link` header of the page before, never made by hand. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FirewallRulesetList"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createFirewallRuleset: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description For 24 hours a request repeated with the same key gets the first answer and has no second effect.
                 * @example 0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateFirewallRulesetRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description This answer is a repetition. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FirewallRulesetResponse"];
                };
            };
            400: components["responses"]["UnknownNameOrMalformedRequestOrInvalidParametersOrMalformedBody"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["QuotaExceededOrAccountInactiveOrForbidden"];
            409: components["responses"]["IdempotencyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getFirewallRuleset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FirewallRulesetResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteFirewallRuleset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NothingResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            /** @description `firewall-rulesets/firewall-ruleset-in-use`: the firewall ruleset to delete is one that a live instance was launched with. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeFirewallRuleset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeFirewallRulesetRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FirewallRulesetResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParametersOrMalformedBody"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listOffers: {
        parameters: {
            query?: {
                /**
                 * @description At most so many entries. Without it: all.
                 * @example 50
                 */
                limit?: number;
                /** @description Where to go on: taken from the `Link` header of the page before, never made by hand. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OfferList"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
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
                /** @description 1 unless told. */
                quantity?: number;
                /** @description Its code. */
                coupon?: string;
                /**
                 * @description Of the instances, as a launch takes it.
                 * @example training
                 */
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QuoteResponse"];
                };
            };
            /**
             * @description `global/object-does-not-exist`: the body, or a filter, names an instance type, region, key, image, file system or coupon that does not exist.
             *
             *     `global/invalid-parameters`: the coupon is expired, switched off, or not for this product.
             *
             *     `global/invalid-parameters`: the path, the query or the headers are not well-formed.
             *
             *     `global/invalid-parameters`: a value in the request breaks a rule, or has the wrong type.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listInstances: {
        parameters: {
            query?: {
                /**
                 * @description At most so many entries. Without it: all.
                 * @example 50
                 */
                limit?: number;
                /** @description Where to go on: taken from the `Link` header of the page before, never made by hand. */
                cursor?: string;
                /** @description Only instances of the account of this UUID. Another than yours needs the operator scope. */
                account_id?: string;
                /** @description Only instances in this state. */
                status?: components["schemas"]["InstanceStatus"];
                /** @description True: only instances the work on which is tried again or slow (`trouble` tells operators which). False: only the others. */
                troubled?: boolean;
                /** @description Only instances in the region of this name. */
                region?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceList"];
                };
            };
            400: components["responses"]["UnknownNameOrMalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    launchInstances: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description For 24 hours a request repeated with the same key gets the first answer and has no second effect.
                 * @example 0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LaunchInstancesRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description This answer is a repetition. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceList"];
                };
            };
            /**
             * @description `global/object-does-not-exist`: the body, or a filter, names an instance type, region, key, image, file system or coupon that does not exist.
             *
             *     `global/invalid-parameters`: the image cannot run on the GPU model of the instance type.
             *
             *     `global/invalid-parameters`: the coupon is expired, switched off, or not for this product.
             *
             *     `global/invalid-parameters`: a file system of the launch is in another region than the instance would be.
             *
             *     `global/invalid-parameters`: the path, the query or the headers are not well-formed.
             *
             *     `global/invalid-parameters`: a value in the request breaks a rule, or has the wrong type.
             *
             *     `global/invalid-parameters`: the body is not JSON in UTF-8, is nested too deeply, or has too many values.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["InvalidApiKey"];
            /** @description `global/spend-limit-exceeded`: the account, or the token, has spent what it may spend this month, or has less left than this launch costs until limits are checked next. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            403: components["responses"]["QuotaExceededOrAccountInactiveOrForbidden"];
            /**
             * @description `instance-operations/launch/insufficient-capacity`: not all instances of the launch can be placed; none was made.
             *
             *     `global/conflict`: the object is in use, or otherwise not in a state that allows the operation.
             *
             *     `idempotency/in-progress`: another request with the same Idempotency-Key has not been answered yet.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getInstance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeInstance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeInstanceRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParametersOrMalformedBody"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    stopInstance: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description For 24 hours a request repeated with the same key gets the first answer and has no second effect.
                 * @example 0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Reason"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description This answer is a repetition. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParametersOrMalformedBody"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            /**
             * @description `instance-operations/stop/instance-terminated`: an instance to stop is terminated; none was stopped.
             *
             *     `idempotency/in-progress`: another request with the same Idempotency-Key has not been answered yet.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    restartInstance: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description For 24 hours a request repeated with the same key gets the first answer and has no second effect.
                 * @example 0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Reason"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description This answer is a repetition. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParametersOrMalformedBody"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            /**
             * @description `instance-operations/restart/instance-not-stopped`: an instance to restart is not stopped; none was restarted.
             *
             *     `idempotency/in-progress`: another request with the same Idempotency-Key has not been answered yet.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    rebootInstance: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description For 24 hours a request repeated with the same key gets the first answer and has no second effect.
                 * @example 0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Reason"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description This answer is a repetition. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParametersOrMalformedBody"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            409: components["responses"]["ConflictOrIdempotencyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    terminateInstance: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description For 24 hours a request repeated with the same key gets the first answer and has no second effect.
                 * @example 0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Reason"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description This answer is a repetition. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParametersOrMalformedBody"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            409: components["responses"]["IdempotencyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getInstanceConsoleLog: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsoleLogResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /**
             * @description `global/machine-unreachable`: the host of the machine whose console or terminal is asked for does not answer.
             *
             *     `global/unavailable`: the database does not answer or has no space (then nothing is created, and instances can still be terminated), there are more requests than can be served, or the server is being stopped.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /**
                 * @description At most so many entries. Without it: all.
                 * @example 50
                 */
                limit?: number;
                /** @description Where to go on: taken from the `Link` header of the page before, never made by hand. */
                cursor?: string;
                /** @description `csv`: the same lines as CSV (RFC 4180) with a header row. What a spreadsheet would run as a formula, at the beginning of a value or behind a separator in it, gets an apostrophe in front. */
                format?: components["schemas"]["ListFormat"];
                /** @description Only usage of the account of this UUID. Another than yours needs the operator scope. */
                account_id?: string;
                /** @description Only usage of the instance of this UUID. */
                instance_id?: string;
                /** @description Only usage of what the token of this UUID launched, also after it was revoked. */
                token_id?: string;
                /**
                 * @description The first day, in UTC. Without it: from the beginning.
                 * @example 2026-03-01
                 */
                from?: string;
                /**
                 * @description The last day, in UTC. Without it: up to now.
                 * @example 2026-03-31
                 */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetUsageResponse"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getUsageByDay: {
        parameters: {
            query?: {
                /**
                 * @description At most so many entries. Without it: all.
                 * @example 50
                 */
                limit?: number;
                /** @description Where to go on: taken from the `Link` header of the page before, never made by hand. */
                cursor?: string;
                /** @description `csv`: the same lines as CSV (RFC 4180) with a header row. What a spreadsheet would run as a formula, at the beginning of a value or behind a separator in it, gets an apostrophe in front. */
                format?: components["schemas"]["ListFormat"];
                /** @description Only usage of the account of this UUID. Another than yours needs the operator scope. */
                account_id?: string;
                /** @description Only usage of the instance of this UUID. */
                instance_id?: string;
                /** @description Only usage of what the token of this UUID launched, also after it was revoked. */
                token_id?: string;
                /** @description What a line is of: an account, which is the default, or an instance, an instance type or a token of one. */
                per?: components["schemas"]["UsagePart"];
                /**
                 * @description The first day, in UTC. Without it: the first of this month.
                 * @example 2026-03-01
                 */
                from?: string;
                /**
                 * @description The last day, in UTC. Without it: today.
                 * @example 2026-03-31
                 */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetUsageByDayResponse"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getUsageByMonth: {
        parameters: {
            query?: {
                /**
                 * @description At most so many entries. Without it: all.
                 * @example 50
                 */
                limit?: number;
                /** @description Where to go on: taken from the `Link` header of the page before, never made by hand. */
                cursor?: string;
                /** @description `csv`: the same lines as CSV (RFC 4180) with a header row. What a spreadsheet would run as a formula, at the beginning of a value or behind a separator in it, gets an apostrophe in front. */
                format?: components["schemas"]["ListFormat"];
                /** @description Only usage of the account of this UUID. Another than yours needs the operator scope. */
                account_id?: string;
                /** @description Only usage of the instance of this UUID. */
                instance_id?: string;
                /** @description Only usage of what the token of this UUID launched, also after it was revoked. */
                token_id?: string;
                /** @description What a line is of: an account, which is the default, or an instance, an instance type or a token of one. */
                per?: components["schemas"]["UsagePart"];
                /**
                 * @description The first month, in UTC. Without it: eleven months ago.
                 * @example 2026-01
                 */
                from?: string;
                /**
                 * @description The last month, in UTC. Without it: this month.
                 * @example 2026-03
                 */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetUsageByMonthResponse"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listStatements: {
        parameters: {
            query?: {
                /**
                 * @description At most so many entries. Without it: all.
                 * @example 50
                 */
                limit?: number;
                /** @description Where to go on: taken from the `Link` header of the page before, never made by hand. */
                cursor?: string;
                /** @description `csv`: the same lines as CSV (RFC 4180) with a header row. What a spreadsheet would run as a formula, at the beginning of a value or behind a separator in it, gets an apostrophe in front. */
                format?: components["schemas"]["ListFormat"];
                /** @description Only statements of the account of this UUID. Another than yours needs the operator scope. */
                account_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedStatementList"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getStatement: {
        parameters: {
            query?: {
                /**
                 * @description At most so many entries. Without it: all.
                 * @example 50
                 */
                limit?: number;
                /** @description Where to go on: taken from the `Link` header of the page before, never made by hand. */
                cursor?: string;
                /** @description `csv`: the same lines as CSV (RFC 4180) with a header row. What a spreadsheet would run as a formula, at the beginning of a value or behind a separator in it, gets an apostrophe in front. */
                format?: components["schemas"]["ListFormat"];
                /** @description Only statements of the account of this UUID. Another than yours needs the operator scope. */
                account_id?: string;
            };
            header?: never;
            path: {
                /**
                 * @description In UTC.
                 * @example 2026-03
                 */
                month: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatementResponse"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description At most so many events. Default: 100. */
                limit?: number;
                /** @description Where to go on: `next_cursor` of an answer before. Without it: from the first event. */
                cursor?: string;
                /**
                 * @description Only these types, with commas between them; a star stands for anything.
                 * @example instance.*,ssh_key.created
                 */
                types?: string;
                /** @description Only events of the instance of this UUID. */
                instance_id?: string;
                /** @description Only events of the account of this UUID. Another than yours needs the operator scope. */
                account_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListEventsResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /** @description Where to go on, where there is no Last-Event-ID: an id, or `next_cursor` of a list. */
                cursor?: string;
                /** @description Where to begin without a cursor. `now`, the default: what happens from now on. `start`: everything. */
                from?: "now" | "start";
                /**
                 * @description Only these types, with commas between them; a star stands for anything.
                 * @example instance.*,ssh_key.created
                 */
                types?: string;
                /** @description Only events of the instance of this UUID. */
                instance_id?: string;
                /** @description Only events of the account of this UUID. Another than yours needs the operator scope. */
                account_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["QuotaExceededOrAccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /**
                 * @description At most so many entries. Without it: all.
                 * @example 50
                 */
                limit?: number;
                /** @description Where to go on: taken from the `Link` header of the page before, never made by hand. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description For 24 hours a request repeated with the same key gets the first answer and has no second effect.
                 * @example 0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description This answer is a repetition. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeWebhookResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParametersOrMalformedBody"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["QuotaExceededOrAccountInactiveOrForbidden"];
            409: components["responses"]["IdempotencyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NothingResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeWebhookRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParametersOrMalformedBody"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description For 24 hours a request repeated with the same key gets the first answer and has no second effect.
                 * @example 0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateWebhookSecretRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description This answer is a repetition. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeWebhookResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParametersOrMalformedBody"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            409: components["responses"]["ConflictOrIdempotencyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description For 24 hours a request repeated with the same key gets the first answer and has no second effect.
                 * @example 0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description This answer is a repetition. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["QuotaExceededOrAccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            409: components["responses"]["IdempotencyInProgress"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description At most so many entries. Default: 100. */
                limit?: number;
                /** @description Where to go on: taken from the `Link` header of the page before, never made by hand. */
                cursor?: string;
                status?: components["schemas"]["DeliveryStatus"];
            };
            header?: never;
            path: {
                /** @description A UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryList"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The webhook's UUID. */
                id: string;
                /** @description The delivery's UUID. */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryInFullResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    resendWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description For 24 hours a request repeated with the same key gets the first answer and has no second effect.
                 * @example 0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The webhook's UUID. */
                id: string;
                /** @description The delivery's UUID. */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description This answer is a repetition. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["QuotaExceededOrAccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            409: components["responses"]["IdempotencyInProgress"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAuditLog: {
        parameters: {
            query?: {
                /** @description At most so many entries. Default: 100. */
                limit?: number;
                /** @description Where to go on: taken from the `Link` header of the page before. */
                cursor?: string;
                /** @description Only entries of the account of this UUID. Another than yours needs the operator scope. */
                account_id?: string;
                /** @description Only what this token asked for. */
                token_id?: string;
                /**
                 * @description Only this operation, one that changes something: its operationId.
                 * @example stopInstances
                 */
                operation?: string;
                /** @description Only what was about this id or name. */
                object?: string;
                result?: components["schemas"]["AuditResult"];
                /**
                 * @description From this moment on. ISO 8601 with time and offset.
                 * @example 2099-12-31T23:59:59.000Z
                 */
                from?: string;
                /**
                 * @description Before this moment. ISO 8601 with time and offset.
                 * @example 2099-12-31T23:59:59.000Z
                 */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntryList"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAccounts: {
        parameters: {
            query?: {
                /**
                 * @description At most so many entries. Without it: all.
                 * @example 50
                 */
                limit?: number;
                /** @description Where to go on: taken from the `Link` header of the page before, never made by hand. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountList"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createAccount: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description For 24 hours a request repeated with the same key gets the first answer and has no second effect.
                 * @example 0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAccountRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description This answer is a repetition. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParametersOrMalformedBody"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            409: components["responses"]["DuplicateOrIdempotencyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeAccountRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParametersOrMalformedBody"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            /**
             * @description `global/duplicate`: a name that must be unique is taken.
             *
             *     `global/conflict`: the object is in use, or otherwise not in a state that allows the operation.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAccountTokens: {
        parameters: {
            query?: {
                /**
                 * @description At most so many entries. Without it: all.
                 * @example 50
                 */
                limit?: number;
                /** @description Where to go on: taken from the `Link` header of the page before, never made by hand. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description A UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenList"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createAccountToken: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description For 24 hours a request repeated with the same key gets the first answer and has no second effect.
                 * @example 0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateToken"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description This answer is a repetition. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeTokenResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParametersOrMalformedBody"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            409: components["responses"]["ConflictOrIdempotencyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    revokeAccountToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The account's UUID. */
                id: string;
                /** @description The token's UUID. */
                token_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NothingResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeAccountToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The account's UUID. */
                id: string;
                /** @description The token's UUID. */
                token_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeToken"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParametersOrMalformedBody"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listRegions: {
        parameters: {
            query?: {
                /**
                 * @description At most so many entries. Without it: all.
                 * @example 50
                 */
                limit?: number;
                /** @description Where to go on: taken from the `Link` header of the page before, never made by hand. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegionList"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    putRegion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 64 letters, digits, `.`, `_` and `-`, the first a letter or digit. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutRegionRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegionResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParametersOrMalformedBody"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteRegion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 64 letters, digits, `.`, `_` and `-`, the first a letter or digit. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NothingResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listHosts: {
        parameters: {
            query?: {
                /**
                 * @description At most so many entries. Without it: all.
                 * @example 50
                 */
                limit?: number;
                /** @description Where to go on: taken from the `Link` header of the page before, never made by hand. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HostList"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getHost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 64 letters, digits, `.`, `_` and `-`, the first a letter or digit. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HostResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    putHost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 64 letters, digits, `.`, `_` and `-`, the first a letter or digit. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutHostRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HostResponse"];
                };
            };
            400: components["responses"]["UnknownNameOrMalformedRequestOrInvalidParametersOrMalformedBody"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteHost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 64 letters, digits, `.`, `_` and `-`, the first a letter or digit. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NothingResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    cordonHost: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description For 24 hours a request repeated with the same key gets the first answer and has no second effect.
                 * @example 0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description 1 to 64 letters, digits, `.`, `_` and `-`, the first a letter or digit. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description This answer is a repetition. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HostResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            409: components["responses"]["IdempotencyInProgress"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    uncordonHost: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description For 24 hours a request repeated with the same key gets the first answer and has no second effect.
                 * @example 0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description 1 to 64 letters, digits, `.`, `_` and `-`, the first a letter or digit. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description This answer is a repetition. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HostResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            409: components["responses"]["IdempotencyInProgress"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listEngines: {
        parameters: {
            query?: {
                /**
                 * @description At most so many entries. Without it: all.
                 * @example 50
                 */
                limit?: number;
                /** @description Where to go on: taken from the `Link` header of the page before, never made by hand. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EngineList"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listInstanceTypes: {
        parameters: {
            query?: {
                /**
                 * @description At most so many entries. Without it: all.
                 * @example 50
                 */
                limit?: number;
                /** @description Where to go on: taken from the `Link` header of the page before, never made by hand. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceTypeList"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    putInstanceType: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 64 letters, digits, `.`, `_` and `-`, the first a letter or digit. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutInstanceTypeRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceTypeResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParametersOrMalformedBody"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteInstanceType: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 64 letters, digits, `.`, `_` and `-`, the first a letter or digit. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NothingResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listImages: {
        parameters: {
            query?: {
                /**
                 * @description At most so many entries. Without it: all.
                 * @example 50
                 */
                limit?: number;
                /** @description Where to go on: taken from the `Link` header of the page before, never made by hand. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageList"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    putImage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 64 printable ASCII characters, the first a letter or digit, without space at the end. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutImageRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParametersOrMalformedBody"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            /** @description `global/duplicate`: a name that must be unique is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteImage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 64 printable ASCII characters, the first a letter or digit, without space at the end. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NothingResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listCoupons: {
        parameters: {
            query?: {
                /**
                 * @description At most so many entries. Without it: all.
                 * @example 50
                 */
                limit?: number;
                /** @description Where to go on: taken from the `Link` header of the page before, never made by hand. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CouponList"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    putCoupon: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 64 visible ASCII characters. */
                code: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutCouponRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CouponResponse"];
                };
            };
            400: components["responses"]["UnknownNameOrMalformedRequestOrInvalidParametersOrMalformedBody"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteCoupon: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 64 visible ASCII characters. */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NothingResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    explainCapacity: {
        parameters: {
            query?: {
                /**
                 * @description At most so many entries. Without it: all.
                 * @example 50
                 */
                limit?: number;
                /** @description Where to go on: taken from the `Link` header of the page before, never made by hand. */
                cursor?: string;
                /** @description Only the instance type of this name. */
                instance_type?: string;
                /** @description Only the region of this name. */
                region?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HostCapacityList"];
                };
            };
            400: components["responses"]["UnknownNameOrMalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getEncryption: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EncryptionResponse"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateEncryption: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description For 24 hours a request repeated with the same key gets the first answer and has no second effect.
                 * @example 0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateEncryptionRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description This answer is a repetition. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotationResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParametersOrMalformedBody"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            409: components["responses"]["ConflictOrIdempotencyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    retireEncryptionKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description For 24 hours a request repeated with the same key gets the first answer and has no second effect.
                 * @example 0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RetireEncryptionKeyRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description This answer is a repetition. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NothingResponse"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParametersOrMalformedBody"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            404: components["responses"]["UnknownObject"];
            409: components["responses"]["ConflictOrIdempotencyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listReplicas: {
        parameters: {
            query?: {
                /**
                 * @description At most so many entries. Without it: all.
                 * @example 50
                 */
                limit?: number;
                /** @description Where to go on: taken from the `Link` header of the page before, never made by hand. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The request's id, also in the log of the service. */
                    "X-Request-Id"?: string;
                    /** @description Send it as If-None-Match: the answer is 304, without a body, while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplicaList"];
                };
            };
            400: components["responses"]["MalformedRequestOrInvalidParameters"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["AccountInactiveOrForbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
}
