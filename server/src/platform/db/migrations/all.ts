import { Foundation1764100000000 } from './1764100000000-foundation.js';
import { Ledger1764100000001 } from './1764100000001-ledger.js';
import { Rollups1764100000002 } from './1764100000002-rollups.js';
import { FailedAttempts1764100000003 } from './1764100000003-failed-attempts.js';
import { Tasks1764100000004 } from './1764100000004-tasks.js';
import { Imports1764100000005 } from './1764100000005-imports.js';
import { Alerts1764100000006 } from './1764100000006-alerts.js';
import { Plans1764100000007 } from './1764100000007-plans.js';
import { Payments1764100000008 } from './1764100000008-payments.js';
import { Subscriptions1764100000009 } from './1764100000009-subscriptions.js';
import { Organisations1764100000010 } from './1764100000010-organisations.js';
import { Statements1764100000011 } from './1764100000011-statements.js';
import { Webhooks1764100000012 } from './1764100000012-webhooks.js';
import { ProviderFiles1764100000013 } from './1764100000013-provider-files.js';
import { SignIn1764100000014 } from './1764100000014-sign-in.js';

/** Every migration in order. A released one is never edited. */
export const migrations = [
  Foundation1764100000000,
  Ledger1764100000001,
  Rollups1764100000002,
  FailedAttempts1764100000003,
  Tasks1764100000004,
  Imports1764100000005,
  Alerts1764100000006,
  Plans1764100000007,
  Payments1764100000008,
  Subscriptions1764100000009,
  Organisations1764100000010,
  Statements1764100000011,
  Webhooks1764100000012,
  ProviderFiles1764100000013,
  SignIn1764100000014,
];
