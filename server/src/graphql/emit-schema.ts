import 'reflect-metadata';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SessionResolver } from '../modules/auth/session.resolver.js';
import { CheckInResolver } from '../modules/check-in/check-in.resolver.js';
import { InviteResolver } from '../modules/invites/invite.resolver.js';
import { RegistrationResolver } from '../modules/registration/registration.resolver.js';
import { OAuthResolver } from '../modules/users/oauth.resolver.js';
import { SettingResolver } from '../modules/users/setting.resolver.js';
import { AuditResolver } from '../modules/audit/audit.resolver.js';
import { ChannelHeadResolver } from '../modules/channels/channel-heads.resolver.js';
import { ChannelLiveResolver } from '../modules/channels/channel-live.resolver.js';
import { ChannelResolver } from '../modules/channels/channel.resolver.js';
import { GroupResolver } from '../modules/groups/group.resolver.js';
import { LogLiveResolver } from '../modules/logs/log-live.resolver.js';
import { LogResolver } from '../modules/logs/log.resolver.js';
import { OptionResolver } from '../modules/options/option.resolver.js';
import { PriceVersionResolver } from '../modules/pricing/price-version.resolver.js';
import { PricingResolver } from '../modules/pricing/pricing.resolver.js';
import { RedemptionResolver } from '../modules/redemptions/redemption.resolver.js';
import { SetupResolver } from '../modules/setup/setup.resolver.js';
import { StatusResolver } from '../modules/status/status.resolver.js';
import { TaskLiveResolver } from '../modules/tasks/task-live.resolver.js';
import { TaskResolver } from '../modules/tasks/task.resolver.js';
import { TokenResolver } from '../modules/tokens/token.resolver.js';
import { SignInResolver } from '../modules/users/sign-in.resolver.js';
import { BalanceResolver } from '../modules/users/balance.resolver.js';
import { UserResolver } from '../modules/users/user.resolver.js';
import { MarginResolver } from '../modules/usage/margin.resolver.js';
import { UsageResolver } from '../modules/usage/usage.resolver.js';
import { WalletResolver } from '../modules/wallet/wallet.resolver.js';
import { createSchema } from './schema.js';

/** The same classes as the container mounts; a test compares the two schemas. */
const schema = await createSchema([
  StatusResolver,
  SetupResolver,
  SignInResolver,
  UserResolver,
  GroupResolver,
  OptionResolver,
  ChannelResolver,
  ChannelHeadResolver,
  TokenResolver,
  TaskResolver,
  LogResolver,
  PricingResolver,
  PriceVersionResolver,
  AuditResolver,
  SessionResolver,
  OAuthResolver,
  RegistrationResolver,
  SettingResolver,
  CheckInResolver,
  InviteResolver,
  RedemptionResolver,
  WalletResolver,
  UsageResolver,
  MarginResolver,
  LogLiveResolver,
  ChannelLiveResolver,
  TaskLiveResolver,
  BalanceResolver,
]);

/** Where the schema goes: the first argument, or the file that is reviewed. */
const target = process.argv[2] ?? 'schema/schema.graphql';
await mkdir(dirname(target), { recursive: true });
await writeFile(target, `${printSchema(lexicographicSortSchema(schema))}\n`);
