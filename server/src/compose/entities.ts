import type { EntityClass } from '../platform/db/data-source.js';
import { Alert } from '../console/alerts/alert.entity.js';
import { AuditRecord } from '../console/audit/audit.entity.js';
import { AccessToken } from '../console/auth/access-token.entity.js';
import { Session } from '../console/auth/session.entity.js';
import { Budget } from '../billing/budgets/budget.entity.js';
import { Channel } from '../console/channels/channel.entity.js';
import { Log } from '../console/logs/log.entity.js';
import { Option } from '../options/option.entity.js';
import { PriceVersion } from '../console/prices/price-version.entity.js';
import { PriceCheck } from '../console/prices/sync/price-check.entity.js';
import { PriceUpdate } from '../console/prices/sync/price-update.entity.js';
import { Redemption } from '../console/redemptions/redemption.entity.js';
import { CustomRole } from '../console/roles/custom-role.entity.js';
import { AuthenticatorApp } from '../console/second-factors/authenticator-app.entity.js';
import { Passkey } from '../console/second-factors/passkey.entity.js';
import { Setup } from '../console/setup/setup.entity.js';
import { CreativeTask } from '../console/tasks/creative-task.entity.js';
import { Drawing } from '../console/tasks/drawing.entity.js';
import { Token } from '../console/tokens/token.entity.js';
import { User } from '../console/users/user.entity.js';
import { TopUpOrder } from '../billing/payments/top-up-order.entity.js';

/** Every table that is read and written through TypeORM. */
export const entities: readonly EntityClass[] = [
  User,
  CustomRole,
  Session,
  Token,
  Channel,
  Option,
  Setup,
  Log,
  AuditRecord,
  Redemption,
  TopUpOrder,
  PriceVersion,
  PriceCheck,
  PriceUpdate,
  Drawing,
  CreativeTask,
  AccessToken,
  AuthenticatorApp,
  Passkey,
  Budget,
  Alert,
];
