import type { WebSocket } from 'ws';
import type { OptionValues } from '../../options/option.service.js';
import type { OutboundGuard } from '../../platform/outbound/outbound-guard.js';
import type { CallRoute } from '../../gateway/route/call-route.js';
import { AppError } from '../../shared/errors.js';
import { CallFailedError } from '../../gateway/send/attempts.js';
import type { UpstreamFailureHandler } from '../../gateway/send/upstream-failure-handler.js';
import { ClientGoneError } from '../../gateway/deliver/delivery.js';
import type { IncomingRequest } from '../../gateway/request.js';
import { withHeaderOverride } from '../../dialects/overrides/header-override.js';
import type { KeyRing } from '../../gateway/route/key-ring.js';
import { mapModel } from '../../gateway/route/model-mapping.js';
import { isRetryable } from '../../gateway/route/retry.js';
import type { RoutedChannel } from '../../gateway/route/routed-channel.js';
import type { RoutingDirectory } from '../../gateway/route/routing-directory.js';
import { retriesAllowed } from '../../gateway/route/routing-table.js';
import type { CandidateSelector } from '../../gateway/route/candidate-selector.js';
import type { AttemptSpan } from '../../gateway/observe/tracing/call-trace.js';
import { offeredProtocols } from './protocols.js';
import { realtimeTarget } from './realtime-target.js';
import { openUpstreamSocket } from './upstream-socket.js';

export interface RealtimeConnectDeps {
  readonly channels: RoutingDirectory;
  readonly keyRing: KeyRing;
  readonly candidates: CandidateSelector;
  readonly failureHandler: UpstreamFailureHandler;
  readonly guard: OutboundGuard;
  readonly options: { readonly values: OptionValues };
  /** The variable AZURE_DEFAULT_API_VERSION. */
  readonly azureVersion: string | undefined;
}

/** An open connection to a provider. */
export interface Connected {
  readonly channel: RoutedChannel;
  readonly usedChannels: readonly number[];
  readonly upstream: WebSocket;
  readonly upstreamModel: string;
  /** The span of the connection. It ends with the session. */
  readonly span: AttemptSpan | undefined;
}

/** Inputs of `connectRealtime`: the admitted call and its abort signal. */
export interface Wanted {
  readonly call: IncomingRequest;
  readonly userId: number;
  readonly route: CallRoute;
  readonly query: URLSearchParams;
  readonly isTranscription: boolean;
  readonly maxFrameBytes: number;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/**
 * Tries channels until one opens a session (docs/reference/relay/routing.md#attempts).
 * @throws CallFailedError with the last failure
 */
export async function connectRealtime(wanted: Wanted, deps: RealtimeConnectDeps): Promise<Connected> {
  const { route, signal } = wanted;
  const usedChannels: number[] = [];
  const retries = route.pinned ? 0 : retriesAllowed(deps.options.values.RetryTimes);
  let last: CallFailedError | null = null;
  for (let attempt = 0; ; attempt++) {
    const candidate = await deps.candidates.next({ route, origin: null }, attempt, usedChannels);
    // When no channel is left, the client gets the last failure.
    if (candidate instanceof AppError) throw last ?? new CallFailedError(candidate, undefined, []);
    const { channel, keyIndex, trial, lease } = candidate;
    // A session counts as one request, because its tokens and cost are not known before.
    lease?.end();
    usedChannels.push(channel.id);
    const span = wanted.call.trace?.attempt({ channel }, route.model);
    try {
      const opened = await open(wanted, { channel, key: channel.keys[keyIndex] ?? '', span }, deps);
      deps.keyRing.reached(channel, keyIndex);
      trial?.passed();
      deps.failureHandler.rescued(usedChannels, channel.id);
      return { ...opened, channel, usedChannels, span };
    } catch (problem) {
      const error = signal.aborted ? new ClientGoneError() : problem;
      span?.failed(error);
      const failed = {
        requestId: wanted.call.requestId,
        userId: wanted.userId,
        model: route.bareModel,
        text: () => `${wanted.call.path} ${wanted.query.toString()}`,
        hasContent: false,
        trial,
      };
      const view = await deps.failureHandler.failed(failed, channel, keyIndex, error);
      last = new CallFailedError(error, view, usedChannels);
      const again = attempt < retries && !signal.aborted;
      if (!again || !isRetryable({ error, status: view?.status ?? null, provider: channel.provider })) throw last;
    }
  }
}

async function open(
  { call, route, query, isTranscription, maxFrameBytes, signal }: Wanted,
  { channel, key, span }: { channel: RoutedChannel; key: string; span: AttemptSpan | undefined },
  { guard, azureVersion }: RealtimeConnectDeps,
): Promise<Pick<Connected, 'upstream' | 'upstreamModel'>> {
  const upstreamModel = mapModel(channel.mapping, route.model, route.bareModel);
  const plain = realtimeTarget(channel, key, upstreamModel, { query, azureVersion, isTranscription });
  const names = { upstreamModel, requestedModel: route.model };
  const overridden = withHeaderOverride(plain, { channel, key, ...names, clientHeaders: call.headers });
  const { url, headers } = overridden;
  const traced = span?.sends({ method: 'GET', url: url.href, headers, body: null }, upstreamModel);
  const target = traced ? { ...overridden, headers: traced.headers } : overridden;
  const offered = offeredProtocols(call.headers);
  return {
    upstream: await openUpstreamSocket(target, guard, { ...offered, maxFrameBytes, signal }),
    upstreamModel,
  };
}
