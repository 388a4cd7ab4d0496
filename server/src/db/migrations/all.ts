import { Foundation1763600000000 } from './1763600000000-foundation.js';
import { Ledger1763600000001 } from './1763600000001-ledger.js';
import { Audit1763700000000 } from './1763700000000-audit.js';
import { Redemptions1763710000000 } from './1763710000000-redemptions.js';
import { TopUpOrders1763710000001 } from './1763710000001-top-up-orders.js';
import { Tasks1763720000000 } from './1763720000000-tasks.js';
import { Realtime1763720000001 } from './1763720000001-realtime.js';
import { PriceVersions1763710000002 } from './1763710000002-price-versions.js';
import { LogIndexes1763710000003 } from './1763710000003-log-indexes.js';
import { TokenLimits1763730000000 } from './1763730000000-token-limits.js';
import { Sums1763740000000 } from './1763740000000-sums.js';
import { Notices1763750000000 } from './1763750000000-notices.js';
import { UnflushedHolds1763760000000 } from './1763760000000-unflushed-holds.js';
import { SumSlots1763770000000 } from './1763770000000-sum-slots.js';
import { SumKeys1763770000001 } from './1763770000001-sum-keys.js';
import { SingleCalls1763780000000 } from './1763780000000-single-calls.js';
import { UpstreamCosts1763790000000 } from './1763790000000-upstream-costs.js';
import { KeptSlots1763800000000 } from './1763800000000-kept-slots.js';
import { SumMinutes1763810000000 } from './1763810000000-sum-minutes.js';

/** Every migration in order. A released one is never edited. */
export const migrations = [
  Foundation1763600000000,
  Ledger1763600000001,
  Audit1763700000000,
  Redemptions1763710000000,
  TopUpOrders1763710000001,
  PriceVersions1763710000002,
  Tasks1763720000000,
  Realtime1763720000001,
  LogIndexes1763710000003,
  TokenLimits1763730000000,
  Sums1763740000000,
  Notices1763750000000,
  UnflushedHolds1763760000000,
  SumSlots1763770000000,
  SumKeys1763770000001,
  SingleCalls1763780000000,
  UpstreamCosts1763790000000,
  KeptSlots1763800000000,
  SumMinutes1763810000000,
];
