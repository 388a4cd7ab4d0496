import type { LogFieldsFragment, LogsQuery } from './logs.generated.js';

type LogRowOfAll = NonNullable<LogsQuery['logs']>['items'][number];

/** A row of either list. An own row has neither user nor channel. */
export type LogRow = LogFieldsFragment & {
  readonly id: number | string;
} & Partial<
    Pick<
      LogRowOfAll,
      'userId' | 'username' | 'channelId' | 'channelName' | 'attemptIds' | 'guardrails' | 'isCaptured' | 'cost'
    >
  >;
