import type { OptionValues } from '../../modules/options/option.service.js';
import type { BudgetDirectory } from '../../modules/budgets/budget-directory.service.js';
import type { PriceBook } from '../../modules/pricing/price-book.service.js';
import type { Ledger } from '../../modules/quota/ledger.service.js';
import type { Logger } from '../../observability/logger.js';
import type { Metrics } from '../../observability/metrics.js';
import type { Overload } from '../../observability/overload.js';
import type { Clock } from '../../shared/clock.js';
import type { BodyBudget, InFlight } from '../access/limits.js';
import type { ModelRateLimit } from '../access/rate-limit.js';
import type { KeyDirectory } from '../access/key-directory.js';
import type { KeyUses } from '../access/key-uses.js';
import type { IdOwners } from '../affinity/id-owners.js';
import type { Attempts } from '../attempt/attempts.js';
import type { CallBudgets } from '../budgets/call-budgets.js';
import type { CallRates } from '../budgets/call-rates.js';
import type { BalanceWatch } from '../record/balance-watch.js';
import type { Guardrails } from '../guardrails/guardrails.js';
import type { Captures } from '../record/captures.js';
import type { ErrorLog } from '../record/error-log.js';
import type { UsageAlarm } from '../record/usage-alarm.js';
import type { RoutingTable } from '../routing/routing-table.js';
import type { Tracing } from '../tracing/tracing.js';

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
  /** Absent where nothing is exported. */
  readonly tracing?: Tracing | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}
