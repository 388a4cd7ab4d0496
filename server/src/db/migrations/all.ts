import { Foundation1764000000000 } from './1764000000000-foundation.js';
import { Ledger1764000000001 } from './1764000000001-ledger.js';
import { Rollups1764000000002 } from './1764000000002-rollups.js';
import { AccessTokens1764000000003 } from './1764000000003-access-tokens.js';
import { EncryptionKeyCheck1764000000004 } from './1764000000004-encryption-key-check.js';
import { HeaderOverride1764000000005 } from './1764000000005-header-override.js';
import { ChargesWithinBalance1764000000006 } from './1764000000006-charges-within-balance.js';
import { OptionWriter1764000000007 } from './1764000000007-option-writer.js';
import { PriceSync1764000000008 } from './1764000000008-price-sync.js';
import { ChannelCost1764000000009 } from './1764000000009-channel-cost.js';
import { ChannelLimits1764000000010 } from './1764000000010-channel-limits.js';
import { MoveIn1764000000012 } from './1764000000012-move-in.js';
import { SecondFactors1764000000013 } from './1764000000013-second-factors.js';
import { ChannelTestError1764000000020 } from './1764000000020-channel-test-error.js';
import { TokenFallbacks1764000000022 } from './1764000000022-token-fallbacks.js';
import { ModelFailures1764000000023 } from './1764000000023-model-failures.js';
import { MoveInJobs1764000000024 } from './1764000000024-move-in-jobs.js';
import { Budgets1764000000026 } from './1764000000026-budgets.js';
import { TokenRotation1764000000029 } from './1764000000029-token-rotation.js';
import { MinuteBudgets1764000000027 } from './1764000000027-minute-budgets.js';
import { CapturedContents1764000000032 } from './1764000000032-captured-contents.js';
import { Alerts1764000000035 } from './1764000000035-alerts.js';
import { CustomRoles1764000000036 } from './1764000000036-custom-roles.js';
import { ChannelFailures1764000000038 } from './1764000000038-channel-failures.js';
import { UsageOfChannels1764000000039 } from './1764000000039-usage-of-channels.js';
import { LogPartitions1764000000040 } from './1764000000040-log-partitions.js';
import { MinuteRollups1764000000041 } from './1764000000041-minute-rollups.js';

/** Every migration in order. A released one is never edited. */
export const migrations = [
  Foundation1764000000000,
  Ledger1764000000001,
  Rollups1764000000002,
  AccessTokens1764000000003,
  EncryptionKeyCheck1764000000004,
  HeaderOverride1764000000005,
  ChargesWithinBalance1764000000006,
  OptionWriter1764000000007,
  PriceSync1764000000008,
  ChannelCost1764000000009,
  ChannelLimits1764000000010,
  MoveIn1764000000012,
  SecondFactors1764000000013,
  ChannelTestError1764000000020,
  TokenFallbacks1764000000022,
  ModelFailures1764000000023,
  MoveInJobs1764000000024,
  Budgets1764000000026,
  MinuteBudgets1764000000027,
  TokenRotation1764000000029,
  CapturedContents1764000000032,
  Alerts1764000000035,
  CustomRoles1764000000036,
  ChannelFailures1764000000038,
  UsageOfChannels1764000000039,
  LogPartitions1764000000040,
  MinuteRollups1764000000041,
];
