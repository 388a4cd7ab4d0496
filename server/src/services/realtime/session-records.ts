import type { Metrics } from '../../platform/observability/metrics.js';
import type { Logger } from '../../platform/observability/logger.js';
import type { OptionValues } from '../../options/option.service.js';
import { isLow, type KeyDirectory } from '../../gateway/admit/key-directory.js';
import { ClientGoneError } from '../../gateway/deliver/delivery.js';
import type { Captures } from '../../gateway/observe/captures.js';
import type { ErrorLog } from '../../gateway/observe/error-log.js';
import { CallFailedError } from '../../gateway/send/attempts.js';
import type { BalanceWatch } from '../../gateway/settle/balance-watch.js';
import { noUsage } from '../../shared/usage.js';
import type { Connected } from './realtime-connect.js';
import type { PaidSession } from './session-admission.js';
import type { ChargedResponse, SessionTotal } from './session-charges.js';
import { failureOf } from './session-events.js';
import { inputOf, outputOf } from './session-price.js';
import type { SessionWatch } from './session-watch.js';

/** Label of sessions for metrics. */
export const realtimeRoute = '/v1/realtime';

export interface SessionRecordsDeps {
  readonly keys: KeyDirectory;
  readonly options: { readonly values: OptionValues };
  readonly errors: ErrorLog;
  readonly captures: Captures;
  readonly balances: BalanceWatch | null;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** Records sessions beside their charges: metrics, traces, captures, failures, and warnings of a low balance. */
export class SessionRecords {
  constructor(private readonly deps: SessionRecordsDeps) {}

  /** Records a session that ended and was charged. */
  ended(
    { call, caller, route }: PaidSession,
    { channel, upstreamModel, span }: Connected,
    watch: SessionWatch | undefined,
    { usage, quota, firstDataAt }: SessionTotal,
  ): void {
    if (watch?.capture) {
      const { input, output } = watch.content;
      const captured = { requestId: call.requestId, caller, route, request: { body: { input } } };
      this.deps.captures.keep(captured, watch.capture, { transcript: output });
    }
    const received = { upstreamModel, firstByteAt: firstDataAt, delivery: { end: { kind: 'complete' } } };
    span?.served(received);
    const asked = { caller, route, request: { body: {}, stream: true, maxOutput: 0 }, startedAt: call.startedAt };
    const counted = { ...noUsage, promptTokens: inputOf(usage), completionTokens: outputOf(usage) };
    call.trace?.served(asked, { ...received, channel }, { usage: counted, quota });
    call.trace?.end({ outcome: 'ok' });
  }

  /** Counts a charged turn. */
  charged({ caller, route }: PaidSession, { usage, quota, userQuota }: ChargedResponse): void {
    const { keys, metrics } = this.deps;
    const { user, token } = caller;
    keys.spent(token, quota);
    if (quota > 0 && userQuota !== null) void this.watchBalance(user.id, userQuota);
    const tally = metrics.relay.of(metrics.knownLabel('model', route.model));
    tally.quota += quota;
    tally.promptTokens += inputOf(usage);
    tally.completionTokens += outputOf(usage);
  }

  /**
   * Warns the user of a low balance. The user is read again, because a session lasts long and they may have changed
   * their threshold. Never throws.
   */
  private async watchBalance(userId: number, left: number): Promise<void> {
    const { keys, balances, options, logger } = this.deps;
    try {
      const user = await keys.user(userId);
      if (user && isLow(user, left, options.values.QuotaRemindThreshold)) balances?.ranLow(userId, left);
    } catch (error) {
      logger.warn({ err: error, userId }, 'balance could not be compared with its threshold');
    }
  }

  /** Logs a session that was accepted and that no channel could open. */
  failed({ call, caller, route }: PaidSession, error: unknown): void {
    if (!(error instanceof CallFailedError) || error.cause instanceof ClientGoneError) return;
    const { errors, metrics } = this.deps;
    metrics.relay.of(metrics.knownLabel('model', route.model)).finished(realtimeRoute, 'upstream_error');
    const { requestId, path, address, startedAt } = call;
    errors.note({
      call: { requestId, path, address, startedAt, caller, route, request: { stream: true } },
      error: error.cause,
      failure: failureOf(error),
      usedChannels: error.usedChannels,
    });
  }
}
