import type { RefusedChannel } from '../../console/channels/index.js';
import type { OptionValues } from '../../options/option.service.js';
import type { Logger } from '../../platform/observability/logger.js';
import type { Metrics } from '../../platform/observability/metrics.js';
import { isAppError } from '../../shared/errors.js';
import { UpstreamError } from '../../dialects/errors/upstream-error.js';
import { ClientGoneError } from '../deliver/delivery.js';
import type { UpstreamErrorView } from '../../dialects/errors/failure.js';
import { maskSecrets } from '../../dialects/errors/mask-secrets.js';
import { meansDeadKey } from '../route/automatic-disable.js';
import type { ChannelFailures } from '../observe/channel-failures.js';
import type { Health, Trial } from '../route/health/health.js';
import { keyMarksOf } from '../route/key-mark.js';
import type { KeyRing } from '../route/key-ring.js';
import type { RoutedChannel } from '../route/routed-channel.js';
import type { RoutingDirectory } from '../route/routing-directory.js';
import type { Credentials } from '../upstream/credentials.js';
import { UpstreamConnectionError } from '../upstream/exchange.js';

/** Disables a channel because its provider refuses its keys (docs/reference/relay/routing.md#automatic-disabling). */
export interface ChannelGuard {
  /**
   * @param refused the channel as it was called. The channel stays enabled if it was edited since then, also at another
   * node
   * @returns false when the channel stays enabled
   */
  disableAutomatically(channelId: number, reason: string, refused?: RefusedChannel): Promise<unknown>;
}

/** Tests whether a provider still accepts a key, with a request that contains nothing of a client. */
export interface KeyCheck {
  /**
   * Tests a key. Never throws.
   * @returns whether the provider refuses the key
   */
  isDead(channel: RoutedChannel, keyIndex: number, model: string): Promise<boolean>;
}

export interface UpstreamFailureHandlerDeps {
  readonly options: { readonly values: OptionValues };
  readonly channels: RoutingDirectory;
  readonly keyRing: KeyRing;
  readonly health: Health;
  readonly credentials: Credentials;
  readonly guard: ChannelGuard;
  readonly keyCheck: KeyCheck;
  readonly failures: Pick<ChannelFailures, 'note' | 'rescued'>;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The call whose attempt failed. */
export interface FailedAttempt {
  readonly requestId: string;
  readonly userId: number;
  readonly model: string;
  /** Returns everything that the client wrote. */
  readonly text: () => string | null;
  /** Whether the provider got content that the client chose. If not, a refusal is about the key. */
  readonly hasContent: boolean;
  /**
   * Whether the call counts tokens. Providers limit such calls separately, so their failures say nothing about others.
   */
  readonly isCount?: boolean | undefined;
  /** The trial of the key that this attempt made, if any. */
  readonly trial: Trial | null;
}

/**
 * Milliseconds for which a failed call of one user is remembered, until a call of another user fails in the same way.
 */
const suspicionMilliseconds = 60 * 60_000;
const maxSuspicions = 10_000;

/** Updates the state of a channel and its key after a failed attempt, for calls and sessions alike. */
export class UpstreamFailureHandler {
  /** The user whose failed call made a key suspicious, by channel and key. */
  private readonly suspicions = new Map<string, { readonly userId: number; readonly until: number }>();
  private readonly checks = new Map<string, Promise<boolean>>();

  constructor(private readonly deps: UpstreamFailureHandlerDeps) {}

  /**
   * Handles a failed attempt.
   * @returns the failure to show to the client, if it is the provider's
   */
  async failed(
    call: FailedAttempt,
    channel: RoutedChannel,
    keyIndex: number,
    error: unknown,
  ): Promise<UpstreamErrorView | undefined> {
    const { keyRing, health, options, credentials } = this.deps;
    noteFailure({ keyRing, credentials }, channel, keyIndex, error);
    // The failure of a former key or address says nothing about the current one.
    if (call.isCount || keyRing.isReplaced(channel)) call.trial?.released();
    else health.failed(channel, keyIndex, call.model, error, call.trial);
    if (error instanceof ClientGoneError) return undefined;
    this.note(call, channel, keyIndex, error, 'upstream attempt failed');
    if (!(error instanceof UpstreamError)) return undefined;
    const { values } = options;
    if (retires(error, channel, values, call.text)) await this.suspect(call, channel, keyIndex, error);
    return {
      status: channel.statusMapping.get(error.status) ?? error.status,
      hidden: values['global.hide_upstream_error_enabled'],
    };
  }

  /**
   * Handles a response that broke off after the client had received part of it. The call is charged, and no other
   * channel serves it.
   */
  brokeOff(call: FailedAttempt, channel: RoutedChannel, keyIndex: number, error: unknown): void {
    const { keyRing, health } = this.deps;
    if (!keyRing.isReplaced(channel)) health.failed(channel, keyIndex, call.model, error, call.trial);
    this.note(call, channel, keyIndex, error, 'upstream response broke off');
  }

  private note(
    { requestId, userId, model, isCount }: FailedAttempt,
    { id, keys }: RoutedChannel,
    keyIndex: number,
    error: unknown,
    what: string,
  ): void {
    const { failures, metrics, logger } = this.deps;
    if (!isCount) failures.note({ requestId, userId, model, channelId: id, key: keys[keyIndex] ?? '' }, error);
    metrics.upstreamErrors.inc({ channel: String(id), kind: kindOf(error) });
    logger.warn({ requestId, channelId: id, ...loggable(error) }, what);
  }

  /**
   * Counts that the call was served after other channels had failed.
   * @param usedChannels ids of all attempts, in order
   * @param aborted the channel of an attempt that was aborted, because another was faster: it did not fail
   */
  rescued(usedChannels: readonly number[], servedBy: number, aborted?: number): void {
    let spared = aborted;
    for (const id of usedChannels) {
      if (id === spared) spared = undefined;
      else if (id !== servedBy) this.deps.failures.rescued(id);
    }
  }

  /**
   * Handles a suspicious key. The calls of one user never disable a channel for all users: the last key is tested with
   * a request of this server, or a call of another user has to fail in the same way.
   */
  private async suspect(
    call: FailedAttempt,
    channel: RoutedChannel,
    keyIndex: number,
    error: UpstreamError,
  ): Promise<void> {
    const { keyRing } = this.deps;
    if (keyRing.isReplaced(channel)) return;
    const byStatus = channel.provider.deadKeyStatuses.includes(error.status);
    const certain = byStatus && (!call.hasContent || keyRing.hasOther(channel, keyIndex));
    if (certain || this.isConfirmed(call, channel, keyIndex) || (await this.check(call, channel, keyIndex))) {
      this.retire(channel, keyIndex, error);
    }
  }

  /** Whether the call of another user failed in this way before. */
  private isConfirmed({ userId }: FailedAttempt, channel: RoutedChannel, keyIndex: number): boolean {
    const key = nameOf(channel, keyIndex);
    const now = performance.now();
    const known = this.suspicions.get(key);
    if (known && known.until > now && known.userId !== userId) {
      this.suspicions.delete(key);
      return true;
    }
    if (this.suspicions.size >= maxSuspicions) this.suspicions.clear();
    this.suspicions.set(key, { userId, until: now + suspicionMilliseconds });
    return false;
  }

  /** Tests a key, once at a time, however many calls fail. */
  private check({ model }: FailedAttempt, channel: RoutedChannel, keyIndex: number): Promise<boolean> {
    const key = nameOf(channel, keyIndex);
    const running = this.checks.get(key);
    if (running) return running;
    const check = this.deps.keyCheck.isDead(channel, keyIndex, model).finally(() => this.checks.delete(key));
    this.checks.set(key, check);
    return check;
  }

  /** Stops using a key. Without another key the channel is disabled. */
  private retire(channel: RoutedChannel, keyIndex: number, error: UpstreamError): void {
    const { keyRing, health, channels, guard, logger } = this.deps;
    health.refused(channel, keyIndex);
    if (!keyRing.refuse(channel, keyIndex)) return;
    channels.exclude(channel.id);
    guard
      .disableAutomatically(channel.id, maskSecrets(`status ${error.status}: ${error.message}`).slice(0, 500), channel)
      .then((disabled) => (disabled === false ? channels.refresh(channel.id) : undefined))
      .catch((problem: unknown) => {
        logger.error({ err: problem, channelId: channel.id }, 'channel could not be disabled');
      });
  }
}

/** Identifies one key of one channel. A replaced key has another name. */
const nameOf = (channel: RoutedChannel, keyIndex: number): string =>
  `${channel.id}:${keyMarksOf(channel)[keyIndex] ?? ''}`;

/** Updates the state of a key's connection and its exchanged credential after a failed request. */
export function noteFailure(
  { keyRing, credentials }: Pick<UpstreamFailureHandlerDeps, 'keyRing' | 'credentials'>,
  channel: RoutedChannel,
  keyIndex: number,
  error: unknown,
): void {
  if (error instanceof UpstreamConnectionError && !error.requestSent) keyRing.unreachable(channel, keyIndex);
  else if (error instanceof UpstreamError) keyRing.reached(channel, keyIndex);
  else keyRing.undecided(channel, keyIndex);
  // The provider may revoke a credential before it expires, so the next call requests a new one.
  if (error instanceof UpstreamError && error.status === 401) {
    credentials.forget({ channelId: channel.id, key: channel.keys[keyIndex] ?? '' });
  }
}

/** Whether a key must not be used again after this failure (docs/reference/relay/routing.md#automatic-disabling). */
export const retires = (
  error: unknown,
  channel: RoutedChannel,
  values: OptionValues,
  text: () => string | null,
): boolean =>
  values.AutomaticDisableChannelEnabled &&
  channel.autoDisable &&
  meansDeadKey(error, channel.provider, values.AutomaticDisableKeywords, text);

/**
 * Returns the part of a failure that may be logged. The provider's message may repeat the client's prompt, so it is
 * removed.
 */
function loggable(error: unknown): Record<string, unknown> {
  if (error instanceof UpstreamError) {
    return { status: error.status, type: error.detail.type, code: error.detail.code };
  }
  return isAppError(error) ? { code: error.code, reason: error.message, cause: causeOf(error) } : { err: error };
}

const causeOf = ({ cause }: Error): string | undefined => (cause instanceof Error ? cause.message : undefined);

function kindOf(error: unknown): string {
  if (error instanceof UpstreamError) return String(error.status);
  if (!isAppError(error)) return 'invalid';
  if (error.code === 'UPSTREAM_TIMEOUT') return 'timeout';
  if (error.code === 'UPSTREAM_UNREACHABLE') return error instanceof UpstreamConnectionError ? 'unreachable' : 'reset';
  return 'invalid';
}
