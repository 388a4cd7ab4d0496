import type { OptionValues } from '../../modules/options/option.service.js';
import type { Logger } from '../../observability/logger.js';
import type { Metrics } from '../../observability/metrics.js';
import { isAppError } from '../../shared/errors.js';
import { UpstreamError } from '../errors/upstream-error.js';
import { ClientGoneError } from '../call/delivery.js';
import type { UpstreamErrorView } from '../errors/failure.js';
import { maskSecrets } from '../errors/mask-secrets.js';
import { meansDeadKey } from '../routing/automatic-disable.js';
import type { KeyRing } from '../routing/key-ring.js';
import type { RoutedChannel } from '../routing/routed-channel.js';
import type { RoutingDirectory } from '../routing/routing-directory.js';
import type { Credentials } from '../upstream/credentials.js';
import { UpstreamConnectionError } from '../upstream/exchange.js';

/** Disables a channel because its provider refuses its keys (docs/reference/relay/routing.md#automatic-disabling). */
export interface ChannelGuard {
  disableAutomatically(channelId: number, reason: string): Promise<unknown>;
}

export interface UpstreamFailureHandlerDeps {
  readonly options: { readonly values: OptionValues };
  readonly channels: RoutingDirectory;
  readonly keyRing: KeyRing;
  readonly credentials: Credentials;
  readonly guard: ChannelGuard;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Updates the state of a channel and its key after a failed attempt, for calls and sessions alike. */
export class UpstreamFailureHandler {
  constructor(private readonly deps: UpstreamFailureHandlerDeps) {}

  /** @returns the failure to show to the client, if it is the provider's */
  failed(requestId: string, channel: RoutedChannel, keyIndex: number, error: unknown): UpstreamErrorView | undefined {
    const { keyRing, options, logger, metrics, credentials } = this.deps;
    noteFailure({ keyRing, credentials }, channel, keyIndex, error);
    if (error instanceof ClientGoneError) return undefined;
    metrics.upstreamErrors.inc({ channel: String(channel.id), kind: kindOf(error) });
    logger.warn({ requestId, channelId: channel.id, ...loggable(error) }, 'upstream attempt failed');
    if (!(error instanceof UpstreamError)) return undefined;
    const { values } = options;
    if (retires(error, channel, values)) this.retire(channel, keyIndex, error);
    return {
      status: channel.statusMapping.get(error.status) ?? error.status,
      hidden: values['global.hide_upstream_error_enabled'],
    };
  }

  /** The key is not used again; without another key the channel is disabled. */
  private retire(channel: RoutedChannel, keyIndex: number, error: UpstreamError): void {
    const { keyRing, channels, guard, logger } = this.deps;
    if (!keyRing.refuse(channel, keyIndex)) return;
    channels.exclude(channel.id);
    guard
      .disableAutomatically(channel.id, maskSecrets(`status ${error.status}: ${error.message}`).slice(0, 500))
      .catch((problem: unknown) => {
        logger.error({ err: problem, channelId: channel.id }, 'channel could not be disabled');
      });
  }
}

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
export const retires = (error: unknown, channel: RoutedChannel, values: OptionValues): boolean =>
  values.AutomaticDisableChannelEnabled &&
  channel.autoBan &&
  meansDeadKey(error, channel.provider, values.AutomaticDisableKeywords);

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
