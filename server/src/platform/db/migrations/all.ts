import { Foundation1764100000000 } from './1764100000000-foundation.js';
import { Ledger1764100000001 } from './1764100000001-ledger.js';
import { Rollups1764100000002 } from './1764100000002-rollups.js';
import { FailedAttempts1764100000004 } from './1764100000004-failed-attempts.js';
import { PaymentEvents1764100000005 } from './1764100000005-payment-events.js';
import { PaymentRetries1764100000006 } from './1764100000006-payment-retries.js';
import { Plans1764100000007 } from './1764100000007-plans.js';
import { Organisations1764100000008 } from './1764100000008-organisations.js';
import { Statements1764100000009 } from './1764100000009-statements.js';
import { Webhooks1764100000010 } from './1764100000010-webhooks.js';
import { ProviderFiles1764100000011 } from './1764100000011-provider-files.js';
import { SignInProviders1764100000012 } from './1764100000012-sign-in-providers.js';
import { StatedPlans1764100000013 } from './1764100000013-stated-plans.js';
import { PlanPayments1764100000014 } from './1764100000014-plan-payments.js';
import { WebhookBacklog1764100000020 } from './1764100000020-webhook-backlog.js';
import { CardRenewals1764100000030 } from './1764100000030-card-renewals.js';

/** Every migration in order. A released one is never edited. */
export const migrations = [
  Foundation1764100000000,
  Ledger1764100000001,
  Rollups1764100000002,
  FailedAttempts1764100000004,
  PaymentEvents1764100000005,
  PaymentRetries1764100000006,
  Plans1764100000007,
  Organisations1764100000008,
  Statements1764100000009,
  Webhooks1764100000010,
  ProviderFiles1764100000011,
  SignInProviders1764100000012,
  StatedPlans1764100000013,
  PlanPayments1764100000014,
  WebhookBacklog1764100000020,
  CardRenewals1764100000030,
];
