import type { OptionValues } from '../options/option.service.js';
import type { BudgetDirectory } from '../billing/budgets/index.js';
import type { PriceBook } from '../billing/prices/index.js';
import type { Ledger } from '../billing/ledger/index.js';
import type { Logger } from '../platform/observability/logger.js';
import type { Metrics } from '../platform/observability/metrics.js';
import type { Overload } from '../platform/observability/overload.js';
import type { Clock } from '../shared/clock.js';
import type { InFlight } from './admit/in-flight.js';
import type { BodyBudget } from './admit/body-budget.js';
import type { ModelRateLimit } from './admit/rate-limit.js';
import type { KeyDirectory } from './admit/key-directory.js';
import type { KeyUses } from './admit/key-uses.js';
import type { IdOwners } from './route/affinity/id-owners.js';
import type { Attempts } from './send/attempts.js';
import type { CallBudgets } from './admit/call-budgets.js';
import type { CallRates } from './admit/call-rates.js';
import type { BalanceWatch } from './settle/balance-watch.js';
import type { Guardrails } from './admit/guardrails/guardrails.js';
import type { Captures } from './observe/captures.js';
import type { ErrorLog } from './observe/error-log.js';
import type { UsageAlarm } from './observe/usage-alarm.js';
import type { RoutingTable } from './route/routing-table.js';
import type { Tracing } from './observe/tracing/tracing.js';

/** Everything a `Relay` works with. */
export interface RelayDeps {
  readonly options: { readonly values: OptionValues };
  readonly keys: KeyDirectory;
  readonly keyUses: KeyUses;
  readonly rateLimit: ModelRateLimit;
  readonly inFlight: InFlight;
  readonly bodies: BodyBudget;
  readonly overload: Pick<Overload, 'reason' | 'admit'>;
  readonly channels: { readonly table: RoutingTable };
  readonly prices: PriceBook;
  readonly ledger: Ledger;
  readonly budgets: CallBudgets;
  readonly sharedBudgets: Pick<BudgetDirectory, 'isEmpty'>;
  readonly rates: CallRates;
  readonly idOwners: IdOwners;
  readonly attempts: Attempts;
  readonly guardrails: Guardrails;
  readonly captures: Captures;
  readonly errors: ErrorLog;
  readonly balances: BalanceWatch | null;
  readonly usageAlarm: UsageAlarm;
  /** Absent when no telemetry is exported. */
  readonly tracing?: Tracing | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}
