import { Foundation1764100000000 } from './1764100000000-foundation.js';
import { Ledger1764100000001 } from './1764100000001-ledger.js';
import { Rollups1764100000002 } from './1764100000002-rollups.js';
import { UserNames1764100000003 } from './1764100000003-user-names.js';
import { CoveringRollups1764100000005 } from './1764100000005-covering-rollups.js';
import { CarriedFractions1764100000006 } from './1764100000006-carried-fractions.js';
import { ProviderIds1764100000020 } from './1764100000020-provider-ids.js';
import { ProviderOrders1764100000030 } from './1764100000030-provider-orders.js';

/** Every migration in order. A released one is never edited. */
export const migrations = [
  Foundation1764100000000,
  Ledger1764100000001,
  Rollups1764100000002,
  UserNames1764100000003,
  CoveringRollups1764100000005,
  CarriedFractions1764100000006,
  ProviderIds1764100000020,
  ProviderOrders1764100000030,
];
