import type { EntityClass } from '../platform/db/data-source.js';
import { Alert } from '../console/alerts/index.js';
import { AuditRecord } from '../console/audit/index.js';
import { AccessToken, Session } from '../console/auth/index.js';
import { Budget } from '../billing/budgets/index.js';
import { Plan, Subscription } from '../billing/plans/index.js';
import { Channel } from '../console/channels/index.js';
import { Dashboard } from '../console/dashboards/index.js';
import { Log } from '../console/logs/index.js';
import { CustomRole, Invitation, Membership, Project, Token, User } from '../billing/accounts/index.js';
import { SignInLink, SignInProvider } from '../console/oauth/index.js';
import { Option } from '../options/option.entity.js';
import { PriceCheck, PriceUpdate, PriceVersion } from '../console/prices/index.js';
import { Redemption } from '../console/redemptions/index.js';
import { AuthenticatorApp, Passkey, RecoveryCode } from '../console/second-factors/index.js';
import { Setup } from '../console/setup/index.js';
import { CreativeTask, Drawing } from '../console/tasks/index.js';
import { OrderEvent, TopUpOrder, TopUpReversal } from '../billing/payments/index.js';
import { BillingProfile, Statement, StatementMonth } from '../billing/statements/index.js';
import { SiteEvent, WebhookDelivery, WebhookEndpoint } from '../console/webhooks/index.js';

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
  OrderEvent,
  TopUpReversal,
  PriceVersion,
  PriceCheck,
  PriceUpdate,
  Drawing,
  CreativeTask,
  AccessToken,
  AuthenticatorApp,
  Passkey,
  RecoveryCode,
  Budget,
  Plan,
  Subscription,
  Alert,
  Dashboard,
  Membership,
  Project,
  Invitation,
  Statement,
  StatementMonth,
  BillingProfile,
  SiteEvent,
  WebhookEndpoint,
  WebhookDelivery,
  SignInProvider,
  SignInLink,
];
