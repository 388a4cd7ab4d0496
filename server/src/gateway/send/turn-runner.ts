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
import type { Turn } from '../route/turns.js';
import type { Credentials } from '../upstream/credentials.js';
import type { AttemptSpan } from '../observe/tracing/call-trace.js';
import type { UpstreamClient } from '../upstream/upstream-client.js';
import { type Attempt, type AttemptOutcome, type AttemptSettings, familySettings } from './attempt.js';
import { LostRaceError, type AttemptRace } from './attempt-race.js';
import type { LeftCalls, LeftExchange } from './left-calls.js';
import type { LearnedCorrections } from './learned-corrections.js';
import type { FetchMedia } from './media-fetch.js';
import { redactKey, redactOutcome } from './redact-key.js';
import { isCount, type ServedCall } from '../served-call.js';
import type { FailedCall, UpstreamFailureHandler } from './upstream-failure-handler.js';

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
  readonly left: LeftCalls;
  readonly idOwners: Pick<IdOwners, 'keep'>;
  readonly learned: LearnedCorrections;
}

/** An attempt that served nothing. Its channel and key know it already. */
export class TurnFailedError extends Error {
  constructor(
    override readonly cause: unknown,
    readonly view: UpstreamErrorView | undefined,
    /** Another channel may serve the call. */
    readonly isOfChannel: boolean,
  ) {
    super('the attempt failed', { cause });
  }
}

const failedCall = (incoming: ServedCall, trial: Trial | null): FailedCall => ({
  requestId: incoming.requestId,
  trial,
  userId: incoming.caller.user.id,
  model: incoming.admission.bareModel,
  text: () => requestText(incoming.path, incoming.call.body),
  hasContent: true,
  isCount: isCount(incoming),
});

const ownerOf = ({ caller }: ServedCall, channel: RoutedChannel, keyIndex: number): IdOwner => ({
  userId: caller.user.id,
  tokenId: caller.token.id,
  channelId: channel.id,
  keyMark: keyMarksOf(channel)[keyIndex] ?? '',
});

/** Makes one attempt of a call at one channel with one key, and reports its result to everything that keeps their state. */
export class TurnRunner {
  /** Of the options that it was read from. */
  private timed: { readonly values: OptionValues; readonly isAny: boolean } | null = null;

  constructor(private readonly deps: RunnerDeps) {}

  /**
   * @param race other attempts of the call that run at the same time
   * @throws TurnFailedError, LostRaceError
   */
  async run(incoming: ServedCall, turn: Turn, client: ClientResponse, race?: AttemptRace): Promise<AttemptOutcome> {
    const { keyRing, health, failureHandler } = this.deps;
    const { channel, keyIndex, trial, pass } = turn;
    const key = channel.keys[keyIndex] ?? '';
    const watch = this.watchOf(incoming, channel);
    const span = incoming.trace?.attempt(turn, incoming.admission.model);
    try {
      const outcome = await incoming.endpoint.attempt(this.toAttempt(incoming, turn, watch, race, span), client);
      if (!keyRing.quiet) keyRing.reached(channel, keyIndex);
      const { end, reportedFailure } = outcome.delivery;
      const failure = end.kind === 'broken' ? end.error : reportedFailure;
      // A client that left before the provider responded is charged, but nothing is known of the key.
      if (outcome.delivery !== goneDelivery) {
        trial?.passed();
        if (health.hasFailures && failure === undefined && !isCount(incoming))
          health.served(channel, keyIndex, incoming.admission.bareModel);
      }
      watch?.served(outcome.firstByteAt);
      span?.served(outcome);
      if (failure !== undefined) {
        failureHandler.brokeOff(failedCall(incoming, null), channel, keyIndex, redactKey(failure, key));
      }
      return end.kind === 'broken' ? redactOutcome(outcome, key) : outcome;
    } catch (caught) {
      if (caught instanceof LostRaceError) {
        keyRing.undecided(channel, keyIndex);
        // The provider may have done all of it: the call counts in the limits as it was reserved.
        if (caught.requestSent) pass?.end();
        else pass?.cancel();
        watch?.gaveUp();
        span?.aborted();
        throw caught;
      }
      pass?.cancel();
      const error = redactKey(caught, key);
      span?.failed(error);
      if (isAppError(error) && error.code === 'UPSTREAM_TIMEOUT') watch?.gaveUp();
      const view = await failureHandler.failed(failedCall(incoming, trial), channel, keyIndex, error);
      const { provider } = channel;
      const isOfChannel = isRetryable({ error, status: view?.status ?? null, provider });
      // Where the client has left, an attempt that was sent is read on, and charged.
      if (!isOfChannel && !(error instanceof ClientGoneError)) race?.cancel();
      throw new TurnFailedError(error, view, isOfChannel);
    } finally {
      trial?.released();
    }
  }

  /** Null: nothing depends on the time of the call. */
  private watchOf(incoming: ServedCall, channel: RoutedChannel): FirstByteWatch | null {
    const { order, firstBytes, options } = this.deps;
    const { values } = options;
    if (!this.timesCalls(values)) return null;
    const { admission, call } = incoming;
    const { group, bareModel: model } = admission;
    if (values['hedged_attempts.percentile'] === 0 && order.of(group, model) !== 'first_token') return null;
    return new FirstByteWatch(firstBytes, { channelId: channel.id, model, stream: call.stream });
  }

  /** Whether something depends on the time of some call. */
  private timesCalls(values: OptionValues): boolean {
    if (this.timed?.values !== values) {
      const isAny = values['hedged_attempts.percentile'] > 0 || ordersOf(values).includes('first_token');
      this.timed = { values, isAny };
    }
    return this.timed.isAny;
  }

  /** A charge that is known before the call needs no report. */
  private clientLeft(incoming: ServedCall, channel: RoutedChannel, exchange: LeftExchange): () => void {
    const { call, admission, caller, endpoint, price } = incoming;
    if (price && endpoint.tariff.fixedUsage?.(call, price)) {
      exchange.abort(new ClientGoneError());
      return () => undefined;
    }
    return this.deps.left.readOn(exchange, {
      userId: caller.user.id,
      stream: call.stream && channel.setting.nonStreamOnly !== true,
      hidesOutput: mayHideOutput(admission.bareModel, call.body),
    });
  }

  private toAttempt(
    incoming: ServedCall,
    { channel, keyIndex, trial }: Turn,
    watch: FirstByteWatch | null,
    race: AttemptRace | undefined,
    span: AttemptSpan | undefined,
  ): Attempt {
    const { values } = this.deps.options;
    return {
      requestId: incoming.requestId,
      call: incoming.call,
      path: incoming.path,
      rawBody: incoming.rawBody,
      clientHeaders: incoming.clientHeaders,
      channel,
      key: channel.keys[keyIndex] ?? '',
      requestedModel: incoming.admission.model,
      bareModel: incoming.admission.bareModel,
      upstream: this.deps.upstream,
      credentials: this.deps.credentials,
      fetchMedia: this.deps.fetchMedia,
      settings: channel.timeouts ? { ...this.deps.settings, ...channel.timeouts } : this.deps.settings,
      passThrough: values['global.pass_through_request_enabled'],
      families: familySettings(values),
      stopAt: incoming.stopAt,
      race,
      span,
      guard: incoming.guard?.checksOutput ? incoming.guard : undefined,
      accepted: trial || watch ? () => (trial?.passed(), watch?.accepted()) : undefined,
      gave: (ids) => this.deps.idOwners.keep(ids, ownerOf(incoming, channel, keyIndex)),
      clientLeft: (exchange) => this.clientLeft(incoming, channel, exchange),
      keepsContent: values.LogChatContentEnabled || incoming.keepsContent === true,
      showsRequestedModel: values['global.requested_model_in_answers'],
      pingSeconds: values['general_setting.ping_interval_enabled']
        ? values['general_setting.ping_interval_seconds']
        : 0,
      now: this.deps.clock.now(),
      learned: this.deps.learned,
    };
  }
}
