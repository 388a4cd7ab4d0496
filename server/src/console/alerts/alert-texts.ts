import type { Notice } from '../notifications/index.js';
import type { AlertFacts, AlertKind } from './alert.entity.js';

type Texts = (
  facts: AlertFacts,
  id: number | null,
) => { readonly title: string; readonly content: string; readonly values: string[] };

const dollars = (amount = 0): string => `$${amount.toFixed(2)}`;
const nameOf = ({ channelName }: AlertFacts, id: number | null): string => `${channelName ?? ''} (#${id})`;

/** English texts of messages. The console has its own texts, in the language of its reader. */
const texts: Record<AlertKind, Texts> = {
  CHANNEL_DISABLED: (facts, id) => ({
    title: `Channel ${nameOf(facts, id)} was disabled`,
    content: 'The gateway has disabled channel {{value}}: {{value}}',
    values: [nameOf(facts, id), facts.reason || 'no reason is known'],
  }),
  CHANNEL_BALANCE_LOW: (facts, id) => ({
    title: `Channel ${nameOf(facts, id)} has a low balance`,
    content: 'The account of channel {{value}} has {{value}} left, which is below {{value}}.',
    values: [nameOf(facts, id), dollars(facts.balance), dollars(facts.threshold)],
  }),
  ERROR_RATE: (facts, id) => ({
    title: `Calls of channel ${nameOf(facts, id)} fail`,
    content: 'Of the last {{value}} calls of channel {{value}}, {{value}} have failed within the last 15 minutes.',
    values: [String(facts.calls ?? 0), nameOf(facts, id), String(facts.failedCalls ?? 0)],
  }),
  SALE_BELOW_COST: (facts) => ({
    title: 'Models are sold below cost',
    content:
      '{{value}} models are sold for less than they cost, each with the number of channels if several: {{value}}',
    values: [String(facts.count ?? 0), (facts.models ?? []).join(', ')],
  }),
  WEBHOOK_OFF: (facts) => ({
    title: 'An endpoint of webhooks was switched off',
    content:
      'Every attempt to send events to {{value}} failed for days, or it responded that it is gone. Switch it on once it works.',
    values: [(facts.endpoints ?? []).join(', ')],
  }),
  RECONCILE_DRIFT: (facts) => ({
    title: 'The ledger is inconsistent',
    content: '{{value}} accounts of the ledger are inconsistent. Run `npm run reconcile` to see them.',
    values: [String(facts.count ?? 0)],
  }),
};

/** Returns the message about an alert. Its type is `alert_<kind>`. */
export const noticeOf = (kind: AlertKind, channelId: number | null, facts: AlertFacts): Notice => ({
  type: `alert_${kind.toLowerCase()}`,
  ...texts[kind](facts, channelId),
});

export const testNotice = (systemName: string): Notice => ({
  type: 'alert_test',
  title: `Test message of ${systemName}`,
  content: 'Alerts of {{value}} reach this address.',
  values: [systemName],
});
