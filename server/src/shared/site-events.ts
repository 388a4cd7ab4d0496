import { z } from 'zod';
import { budgetLevels } from './budget.js';
import { accountKinds } from './organisation.js';

const user = z.strictObject({
  id: z.int(),
  username: z.string().nullable().describe('null: the account was removed with its keys'),
  external_id: z.string().nullable().describe('the id that your system gave the user'),
});
const account = user.extend({
  kind: z.enum(accountKinds).describe('`person` or `organisation`, which has no email'),
  email: z.string(),
  group: z.string(),
});

const order = z.strictObject({
  id: z.int(),
  number: z.string().describe('the number of the order at the gateway'),
  provider: z.string(),
  method: z.string(),
  amount: z.string().describe('such as `73.00`'),
  refunded: z.string().describe('all that went back or is disputed so far'),
  currency: z.string().describe('ISO 4217'),
  quota: z.int().describe('what the order adds to the balance'),
  payment: z.string().nullable().describe('the gateway’s number of the payment'),
});
const payment = z.strictObject({ user, order, detail: z.string().describe('amount and reason, for people') });

const plan = z.strictObject({
  id: z.int().describe('the subscription'),
  plan_id: z.int(),
  name: z.string(),
  origin: z.enum(['purchase', 'renewal', 'upgrade', 'code', 'grant', 'order']),
  starts_at: z.string(),
  ends_at: z.string(),
  paid: z.int().describe('quota that the balance paid'),
  returned: z.int().describe('quota that the balance got back'),
  renews: z.boolean(),
  renewal_problem: z.string().describe('why it was not renewed; empty: it was not to be, or it was'),
});
const subscription = z.strictObject({ user, plan });

const key = z.strictObject({
  id: z.int(),
  name: z.string(),
  status: z.enum(['enabled', 'disabled', 'expired', 'exhausted']),
  group: z.string().describe('empty: that of the user'),
  expires_at: z.string().nullable(),
  unlimited_quota: z.boolean(),
  models: z.array(z.string()).nullable().describe('null: all'),
  scopes: z.array(z.string()),
});

/**
 * The kinds of events of the site that its operator's systems can follow, each with its meaning and the shape of its data.
 * An event is written by `site_event` of the database in the transaction of the change that it reports. No shape has a field
 * for a secret.
 */
export const siteEvents = {
  'payment.paid': { about: 'An order was paid and credited, by its gateway or by an admin.', data: payment },
  'payment.failed': { about: 'A payment failed, or its page expired.', data: payment },
  'payment.refunded': {
    about: 'A refund was ordered here or made at the gateway, and its quota taken.',
    data: payment,
  },
  'payment.refund_failed': { about: 'A refund was refused or failed, and its quota returned.', data: payment },
  'payment.disputed': { about: 'The bank of the buyer disputes a payment, and its quota was taken.', data: payment },
  'payment.dispute_won': { about: 'A dispute was won, and the quota returned.', data: payment },
  'payment.dispute_lost': { about: 'A dispute was lost.', data: payment },
  'balance.low': {
    about: 'A balance fell below the threshold of its user. Once a day, and again after money came in.',
    data: z.strictObject({ user, balance: z.int().describe('what is left, in quota') }),
  },
  'budget.used_up': {
    about: 'A budget is used up, or refused a call because too little is left. Once in each window.',
    data: z.strictObject({
      budget: z.strictObject({
        id: z.int(),
        level: z.enum(budgetLevels),
        subject_id: z.int().describe('the key, member, project, user or channel; 0 for a group and the site'),
        group: z.string(),
        kind: z.enum(['money', 'tokens', 'requests']),
        amount: z.int(),
        used: z.int(),
        resets_at: z.string().nullable(),
      }),
    }),
  },
  'plan.bought': {
    about: 'A plan begins: bought, upgraded to, given, or opened again after a reversal of its payment was undone.',
    data: subscription,
  },
  'plan.renewed': {
    about: 'A plan was renewed. It is a subscription of its own.',
    data: subscription,
  },
  'plan.ended': { about: 'A plan ended and was not renewed.', data: subscription },
  'plan.refunded': { about: 'A plan was refunded by an admin, or by a reversal of its payment.', data: subscription },
  'key.created': { about: 'An API key was created.', data: z.strictObject({ user, key }) },
  'key.changed': {
    about: 'Settings of a key changed, it was rotated, or it expired or ran out of quota.',
    data: z.strictObject({
      user,
      key,
      changed: z.array(z.string()).describe('names of the changed fields, `key` for a rotation'),
    }),
  },
  'key.revoked': { about: 'An API key was deleted.', data: z.strictObject({ user, key }) },
  'user.created': { about: 'A user was created or registered.', data: z.strictObject({ user: account }) },
  'user.disabled': { about: 'A user was banned.', data: z.strictObject({ user: account }) },
  'user.enabled': { about: 'A banned user may call again.', data: z.strictObject({ user: account }) },
  'user.deleted': { about: 'An account was deleted.', data: z.strictObject({ user: account }) },
  'webhook.test': {
    about: 'An admin tests an endpoint. It is sent to this endpoint only.',
    data: z.strictObject({ endpoint: z.strictObject({ id: z.int(), name: z.string() }) }),
  },
} as const satisfies Record<`${string}.${string}`, { readonly about: string; readonly data: z.ZodObject }>;

export type SiteEventKind = keyof typeof siteEvents;
export type SiteEventData<Kind extends SiteEventKind> = z.output<(typeof siteEvents)[Kind]['data']>;

export const siteEventKinds = Object.keys(siteEvents) as SiteEventKind[];

export const isSiteEventKind = (kind: string): kind is SiteEventKind => Object.hasOwn(siteEvents, kind);

/** Writes an event in the caller's transaction. It is sent after the commit, and not if that does not come. */
export async function recordSiteEvent<Kind extends SiteEventKind>(
  transaction: { query(sql: string, parameters?: unknown[]): Promise<unknown> },
  kind: Kind,
  data: SiteEventData<Kind>,
): Promise<void> {
  await transaction.query('SELECT site_event($1, $2)', [kind, JSON.stringify(data)]);
}
