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
   * @param refused as it was called: the channel stays when it was edited since then, which another node may know of
   * @returns false when the channel stays
   */
  disableAutomatically(channelId: number, reason: string, refused?: RefusedChannel): Promise<unknown>;
}

/** Asks a provider whether it still takes a key, with a request that no client had a part in. */
export interface KeyCheck {
  /** Never throws. @returns whether the provider refuses the key */
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
  /** Everything that the client wrote. */
  readonly text: () => string | null;
  /** False: the provider got nothing that the client chose, so its refusal is about the key. */
  readonly hasContent: boolean;
  /** A count of tokens, which providers limit apart from calls: its failure says nothing about those. */
  readonly isCount?: boolean | undefined;
  /** The attempt found out whether its key works again. */
  readonly trial: Trial | null;
}

/** How long the failed call of one user is remembered, until another user's call fails likewise. */
const suspicionMilliseconds = 60 * 60_000;
const maxSuspicions = 10_000;

/** Updates the state of a channel and its key after a failed attempt, for calls and sessions alike. */
export class UpstreamFailureHandler {
  /** The user whose call made a key of a channel suspicious. */
  private readonly suspicions = new Map<string, { readonly userId: number; readonly until: number }>();
  private readonly checks = new Map<string, Promise<boolean>>();

  constructor(private readonly deps: UpstreamFailureHandlerDeps) {}

  /** @returns the failure to show to the client, if it is the provider's */
  async failed(
    call: FailedAttempt,
    channel: RoutedChannel,
    keyIndex: number,
    error: unknown,
  ): Promise<UpstreamErrorView | undefined> {
    const { keyRing, health, options, credentials } = this.deps;
    noteFailure({ keyRing, credentials }, channel, keyIndex, error);
    // The failure of a former key or address says nothing about the present one.
    if (call.isCount || keyRing.isReplaced(channel)) call.trial?.released();
    else health.failed(channel, keyIndex, call.model, error, call.trial);
    if (error instanceof ClientGoneError) return undefined;
    this.note(call, channel, error, 'upstream attempt failed');
    if (!(error instanceof UpstreamError)) return undefined;
    const { values } = options;
    if (retires(error, channel, values, call.text)) await this.suspect(call, channel, keyIndex, error);
    return {
      status: channel.statusMapping.get(error.status) ?? error.status,
      hidden: values['global.hide_upstream_error_enabled'],
    };
  }

  /** The response broke off after the client had received part of it: the call is charged, and no other channel serves it. */
  brokeOff(call: FailedAttempt, channel: RoutedChannel, keyIndex: number, error: unknown): void {
    const { keyRing, health } = this.deps;
    if (!keyRing.isReplaced(channel)) health.failed(channel, keyIndex, call.model, error, call.trial);
    this.note(call, channel, error, 'upstream response broke off');
  }

  private note(
    { requestId, model, isCount }: FailedAttempt,
    { id }: RoutedChannel,
    error: unknown,
    what: string,
  ): void {
    const { failures, metrics, logger } = this.deps;
    if (!isCount) failures.note(id, model, error);
    metrics.upstreamErrors.inc({ channel: String(id), kind: kindOf(error) });
    logger.warn({ requestId, channelId: id, ...loggable(error) }, what);
  }

  /**
   * The call was served after these channels had been tried.
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
   * The calls of one user never disable a channel for all: its last key is checked with a request of our own, or a call of
   * another user has to fail likewise.
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

  /** One check at a time for a key, however many calls fail. */
  private check({ model }: FailedAttempt, channel: RoutedChannel, keyIndex: number): Promise<boolean> {
    const key = nameOf(channel, keyIndex);
    const running = this.checks.get(key);
    if (running) return running;
    const check = this.deps.keyCheck.isDead(channel, keyIndex, model).finally(() => this.checks.delete(key));
    this.checks.set(key, check);
    return check;
  }

  /** The key is not used again; without another key the channel is disabled. */
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

/** One key of one channel; another one once it is replaced. */
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
  // The provider may revoke a credential before it expires: the next call requests a new one.
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
  channel.autoBan &&
  meansDeadKey(error, channel.provider, values.AutomaticDisableKeywords, text);

/**
 * The part of a failure that may be logged: the provider's message may repeat the client's prompt, so it is removed.
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
