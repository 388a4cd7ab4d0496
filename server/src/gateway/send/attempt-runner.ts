import type { OptionValues } from '../../options/option.service.js';
import type { Clock } from '../../shared/clock.js';
import { isAppError } from '../../shared/errors.js';
import type { IdOwner, IdOwners } from '../route/affinity/id-owners.js';
import type { ClientResponse } from '../deliver/client-response.js';
import { ClientGoneError, goneDelivery } from '../deliver/delivery.js';
import type { UpstreamErrorView } from '../../dialects/errors/failure.js';
import { mayHideOutput } from '../reserve/metering/hidden-output.js';
import { requestText } from '../route/automatic-disable.js';
import type { Health, Trial } from '../route/health/health.js';
import { keyMarksOf } from '../route/key-mark.js';
import type { KeyRing } from '../route/key-ring.js';
import { FirstByteWatch, type FirstByteTimes } from '../route/order/first-byte-times.js';
import { ordersOf, type TierOrder } from '../route/order/tier-order.js';
import { isRetryable } from '../route/retry.js';
import type { RoutedChannel } from '../route/routed-channel.js';
import type { Candidate } from '../route/candidate-selector.js';
import type { Credentials } from '../upstream/credentials.js';
import { cardAt } from '../reserve/call-charge.js';
import type { AttemptSpan } from '../observe/tracing/call-trace.js';
import type { UpstreamClient } from '../upstream/upstream-client.js';
import type { Attempt, AttemptOutcome, AttemptSettings } from './attempt.js';
import { familySettings } from './attempt-exchange.js';
import { LostRaceError, type AttemptRace } from './attempt-race.js';
import type { DisconnectedClients, AbandonedExchange } from './disconnected-clients.js';
import type { LearnedCorrections } from './learned-corrections.js';
import type { FetchMedia } from './media-fetch.js';
import { redactKey, redactOutcome } from './redact-key.js';
import type { RoutedCall } from '../call.js';
import { freeTurns } from '../../dialects/wire/forms/json-body.js';
import { dialectQuery } from '../forwarded-query.js';
import type { Dispatch } from './dispatch.js';
import type { FailedAttempt, UpstreamFailureHandler } from './upstream-failure-handler.js';

export interface RunnerDeps {
  readonly options: { readonly values: OptionValues };
  readonly keyRing: KeyRing;
  readonly health: Health;
  readonly order: TierOrder;
  readonly firstBytes: FirstByteTimes;
  readonly upstream: UpstreamClient;
  readonly credentials: Credentials;
  readonly fetchMedia: FetchMedia;
  readonly clock: Clock;
  readonly failureHandler: UpstreamFailureHandler;
  readonly settings: AttemptSettings;
  readonly left: DisconnectedClients;
  readonly idOwners: Pick<IdOwners, 'keep'>;
  readonly learned: LearnedCorrections;
}

/** An attempt that served nothing. The failure is already recorded for its channel and key. */
export class AttemptFailedError extends Error {
  constructor(
    override readonly cause: unknown,
    readonly view: UpstreamErrorView | undefined,
    /** Whether another channel may serve the call. */
    readonly isOfChannel: boolean,
  ) {
    super('the attempt failed', { cause });
  }
}

/** Whether the provider only counts the tokens of the call. */
export const isCount = ({ price }: RoutedCall): boolean => price === undefined;

const failedAttempt = (call: RoutedCall, trial: Trial | null): FailedAttempt => ({
  requestId: call.requestId,
  trial,
  userId: call.caller.user.id,
  model: call.route.bareModel,
  text: () => requestText(call.path, call.request.body),
  hasContent: true,
  isCount: isCount(call),
});

/** Frees what the call does not need while its response arrives. */
function freed({ grant, rawBody }: RoutedCall, ownBytes: number): void {
  if (freeTurns(rawBody)) grant?.sent(rawBody.length + ownBytes);
}

const ownerOf = ({ caller }: RoutedCall, channel: RoutedChannel, keyIndex: number): IdOwner => ({
  userId: caller.user.id,
  memberId: caller.token.memberId,
  tokenId: caller.token.id,
  channelId: channel.id,
  keyMark: keyMarksOf(channel)[keyIndex] ?? '',
});

/** Makes one attempt of a call at one channel with one key, and reports its result to everything that keeps their state. */
export class AttemptRunner {
  /** The result of `timesCalls` for the options it was computed from. */
  private timed: { readonly values: OptionValues; readonly isAny: boolean } | null = null;

  constructor(private readonly deps: RunnerDeps) {}

  /**
   * Makes the attempt.
   * @param race other attempts of the call that run at the same time
   * @throws AttemptFailedError, LostRaceError
   */
  async run(
    dispatch: Dispatch,
    candidate: Candidate,
    client: ClientResponse,
    race?: AttemptRace,
  ): Promise<AttemptOutcome> {
    const { keyRing, health, failureHandler } = this.deps;
    const { call } = dispatch;
    const { channel, keyIndex, trial, lease } = candidate;
    const key = channel.keys[keyIndex] ?? '';
    const watch = this.watchOf(call, channel);
    const span = call.trace?.attempt(candidate, call.route.model);
    // An attempt that lost its race may still prepare its request when the call has ended.
    const letGo = race && call.grant?.keepBody();
    try {
      const outcome = await call.endpoint.attempt(this.toAttempt(dispatch, candidate, watch, race, span), client);
      if (!keyRing.quiet) keyRing.reached(channel, keyIndex);
      const { end, reportedFailure } = outcome.delivery;
      const failure = end.kind === 'broken' ? end.error : reportedFailure;
      // If the client disconnected before the provider responded, the call is charged, but nothing is known of the key.
      if (outcome.delivery !== goneDelivery) {
        trial?.passed();
        if (health.hasFailures && failure === undefined && !isCount(call))
          health.served(channel, keyIndex, call.route.bareModel);
      }
      watch?.served(outcome.firstByteAt);
      span?.served(outcome);
      if (failure !== undefined) {
        failureHandler.brokeOff(failedAttempt(call, null), channel, keyIndex, redactKey(failure, key));
      }
      return end.kind === 'broken' ? redactOutcome(outcome, key) : outcome;
    } catch (caught) {
      if (caught instanceof LostRaceError) {
        keyRing.undecided(channel, keyIndex);
        // The provider may have served the whole call, so it counts in the limits with its reserved use.
        if (caught.requestSent) lease?.end();
        else lease?.cancel();
        watch?.gaveUp();
        span?.aborted();
        throw caught;
      }
      lease?.cancel();
      const error = redactKey(caught, key);
      span?.failed(error);
      if (isAppError(error) && error.code === 'UPSTREAM_TIMEOUT') watch?.gaveUp();
      const view = await failureHandler.failed(failedAttempt(call, trial), channel, keyIndex, error);
      const { provider } = channel;
      const isOfChannel = isRetryable({ error, status: view?.status ?? null, provider });
      // If the client has disconnected, an attempt whose request was sent is read to its end and charged.
      if (!isOfChannel && !(error instanceof ClientGoneError)) race?.cancel();
      throw new AttemptFailedError(error, view, isOfChannel);
    } finally {
      trial?.released();
      letGo?.();
    }
  }

  /**
   * Measures the time of the call.
   * @returns null when no setting depends on it
   */
  private watchOf(call: RoutedCall, channel: RoutedChannel): FirstByteWatch | null {
    const { order, firstBytes, options } = this.deps;
    const { values } = options;
    if (!this.timesCalls(values)) return null;
    const { route, request } = call;
    const { group, bareModel: model } = route;
    if (values['hedged_attempts.percentile'] === 0 && order.of(group, model) !== 'first_token') return null;
    return new FirstByteWatch(firstBytes, { channelId: channel.id, model, stream: request.stream });
  }

  /** Whether some setting depends on the time of calls. */
  private timesCalls(values: OptionValues): boolean {
    if (this.timed?.values !== values) {
      const isAny = values['hedged_attempts.percentile'] > 0 || ordersOf(values).includes('first_token');
      this.timed = { values, isAny };
    }
    return this.timed.isAny;
  }

  /** Reads the provider on for its usage report. A charge that is known before the call does not need the report. */
  private onDisconnect(call: RoutedCall, channel: RoutedChannel, exchange: AbandonedExchange): () => void {
    const { request, route, caller, endpoint, price } = call;
    if (price && endpoint.tariff.fixedUsage?.(request, cardAt(endpoint.tariff, price))) {
      exchange.abort(new ClientGoneError());
      return () => undefined;
    }
    return this.deps.left.readOn(exchange, {
      userId: caller.user.id,
      stream: request.stream && channel.setting.nonStreamOnly !== true,
      hidesOutput: mayHideOutput(route.bareModel, request.body),
    });
  }

  private toAttempt(
    { call, stopAt }: Dispatch,
    { channel, keyIndex, trial }: Candidate,
    watch: FirstByteWatch | null,
    race: AttemptRace | undefined,
    span: AttemptSpan | undefined,
  ): Attempt {
    const { values } = this.deps.options;
    const { route, request, guard } = call;
    const path = call.query === '' ? call.path : call.path + dialectQuery(call.query);
    const sent = request.sent ?? { path, rawBody: call.rawBody };
    return {
      requestId: call.requestId,
      request,
      path: sent.path,
      rawBody: sent.rawBody,
      clientHeaders: call.headers,
      caller: call.caller,
      channel,
      key: channel.keys[keyIndex] ?? '',
      requestedModel: route.model,
      bareModel: route.bareModel,
      upstream: this.deps.upstream,
      credentials: this.deps.credentials,
      fetchMedia: this.deps.fetchMedia,
      settings: channel.timeouts ? { ...this.deps.settings, ...channel.timeouts } : this.deps.settings,
      passThrough: values['global.pass_through_request_enabled'],
      families: familySettings(values),
      stopAt,
      race,
      span,
      guard: guard?.checksOutput ? guard : undefined,
      begins: call.freesTurns ? (ownBytes) => freed(call, ownBytes) : undefined,
      accepted: trial || watch ? () => (trial?.passed(), watch?.accepted()) : undefined,
      gave: (ids) => this.deps.idOwners.keep(ids, ownerOf(call, channel, keyIndex)),
      onDisconnect: (exchange) => this.onDisconnect(call, channel, exchange),
      keepsContent: values.LogChatContentEnabled || call.capture !== undefined,
      showsRequestedModel: values['global.requested_model_in_answers'],
      pingSeconds: values['general_setting.ping_interval_enabled']
        ? values['general_setting.ping_interval_seconds']
        : 0,
      now: this.deps.clock.now(),
      learned: this.deps.learned,
    };
  }
}
