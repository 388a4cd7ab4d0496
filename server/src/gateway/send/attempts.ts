import { setTimeout as sleep } from 'node:timers/promises';
import type { Metrics } from '../../platform/observability/metrics.js';
import { AppError } from '../../shared/errors.js';
import { randomBetween } from '../../shared/ids.js';
import { originOf } from '../route/affinity/call-origin.js';
import type { AffinityResult, SessionAffinity } from '../route/affinity/session-affinity.js';
import type { ClientResponse } from '../deliver/client-response.js';
import type { UpstreamErrorView } from '../../dialects/errors/failure.js';
import { UpstreamError } from '../../dialects/errors/upstream-error.js';
import type { LimitLease } from '../route/limits/limit-board.js';
import type { RoutedChannel } from '../route/routed-channel.js';
import { isAlone, maxRetries, retriesAllowed, type RoutingTable } from '../route/routing-table.js';
import type { Candidate, Candidates, CandidateQuery } from '../route/turns.js';
import type { AttemptOutcome } from './attempt.js';
import { hedgeDelay, mayHedge, runHedged, type AbortedAttempt, type ServedCandidate } from './hedged-attempt.js';
import { isCount, type Dispatch } from '../served-call.js';
import { AttemptFailedError, AttemptRunner, type RunnerDeps } from './turn-runner.js';

export interface AttemptsDeps extends RunnerDeps {
  readonly channels: { readonly table: RoutingTable };
  readonly turns: Candidates;
  readonly metrics: Metrics;
  readonly affinity: SessionAffinity;
}

/** A call that no channel could serve, with the failure that the client sees. */
export class CallFailedError extends Error {
  constructor(
    override readonly cause: unknown,
    readonly view: UpstreamErrorView | undefined,
    readonly usedChannels: readonly number[],
    /** Another group or model may serve the call. */
    readonly mayMove = false,
  ) {
    super('no channel served the call', { cause });
  }
}

/** The result of a served call, with the channel and key that served it. */
export interface Served extends AttemptOutcome {
  readonly channel: RoutedChannel;
  readonly usedChannels: readonly number[];
  /** Correct it with the call's use, and end it. Null: its channel has no limits. */
  readonly lease: LimitLease | null;
  /** Absent for calls without a session. */
  readonly affinity?: AffinityResult | undefined;
  /** A second attempt ran at the same time, and one was aborted. */
  readonly aborted?: AbortedAttempt | undefined;
}

const noChannels: readonly number[] = [];

/** Tries channels until one serves the call (docs/reference/relay/routing.md#attempts). */
export class Attempts {
  private readonly runner: AttemptRunner;

  constructor(private readonly deps: AttemptsDeps) {
    this.runner = new AttemptRunner(deps);
  }

  /** @throws CallFailedError with the last upstream failure, or the failure that ended the attempts */
  async serve(incoming: Dispatch, client: ClientResponse): Promise<Served> {
    const { options, metrics, turns, affinity, failureHandler } = this.deps;
    const { admission } = incoming;
    const { failedBefore = noChannels } = incoming;
    const usedChannels: number[] = [...failedBefore];
    const used: number[] = incoming.avoidsFailed ? [...failedBefore] : [];
    const { values } = options;
    const { continued } = incoming.request;
    const origin = continued ? originOf(continued, admission, this.deps.channels.table) : null;
    const mayStay = !origin && values['session_affinity.enabled'] && !isAlone(admission.candidates);
    const opened = mayStay ? affinity.open(incoming) : null;
    const session = opened instanceof Promise ? await opened : opened;
    const seeker: CandidateQuery = {
      route: admission,
      origin,
      preferred: session,
      use: incoming.use,
      stream: incoming.request.stream,
      isCount: isCount(incoming),
      requestId: incoming.use && incoming.requestId,
    };
    const fixed = admission.pinned !== null || origin !== null;
    const retries = fixed ? 0 : retriesAllowed(values.RetryTimes);
    let last: CallFailedError | null = null;
    for (let attempt = 0, moves = 0; ;) {
      const next = turns.next(seeker, attempt, used);
      const turn = next instanceof Promise ? await next : next;
      // When no channel is left, the client gets the last failure.
      if (turn instanceof AppError) throw last ?? new CallFailedError(turn, undefined, usedChannels, true);
      const { channel, keyIndex } = turn;
      usedChannels.push(channel.id);
      used.push(channel.id);
      session?.chosen(channel, keyIndex);
      try {
        if (fixed || used.length > 1 || values['hedged_attempts.percentile'] === 0 || !mayHedge(incoming)) {
          const outcome = await this.runner.run(incoming, turn, client);
          const result = origin ? 'hit' : session?.served(channel, keyIndex);
          if (usedChannels.length > 1) failureHandler.rescued(usedChannels, channel.id);
          return servedBy(outcome, turn, usedChannels, result);
        }
        const next = (): Promise<Candidate | null> => this.secondTurn(seeker, used, usedChannels);
        const { turn: served, outcome, aborted } = await this.hedged(incoming, turn, client, next);
        const result = session?.served(served.channel, served.keyIndex);
        if (usedChannels.length > 1) failureHandler.rescued(usedChannels, served.channel.id, aborted?.channel.id);
        return servedBy(outcome, served, usedChannels, result, aborted);
      } catch (failed) {
        if (!(failed instanceof AttemptFailedError)) throw failed;
        const { cause, view, isOfChannel } = failed;
        last = new CallFailedError(cause, view, usedChannels, isOfChannel);
        if (isOfChannel) session?.failed(channel, keyIndex);
        if (client.started || client.gone || !isOfChannel) throw last;
        // A provider that is at its limit has done nothing: the call moves on, whatever the number of retries is.
        if (attempt < retries) attempt++;
        else if (isAtLimit(cause) && !fixed && moves < maxRetries) moves++;
        else throw last;
        metrics.relayRetries.inc({ route: incoming.endpoint.route });
        // The first retry is immediate; later ones are delayed randomly, to spread load.
        if (attempt >= 2) await sleep(randomBetween(100, 500));
      }
    }
  }

  /** The first attempt of a call, with a second one beside it if the channel is slower than usual. */
  private async hedged(
    incoming: Dispatch,
    turn: Candidate,
    client: ClientResponse,
    next: () => Promise<Candidate | null>,
  ): Promise<ServedCandidate> {
    const { options, firstBytes } = this.deps;
    const delay = hedgeDelay(incoming, turn.channel, options.values['hedged_attempts.percentile'], firstBytes);
    if (delay === null) return { turn, outcome: await this.runner.run(incoming, turn, client) };
    return runHedged({ runner: this.runner, incoming, client, first: turn, delay, next });
  }

  /** Another channel than those that were used; null: there is none that is free, and the first attempt goes on alone. */
  private async secondTurn(seeker: CandidateQuery, used: number[], usedChannels: number[]): Promise<Candidate | null> {
    const turn = await Promise.resolve(this.deps.turns.next(seeker, 0, used)).catch(() => null);
    if (turn === null || turn instanceof AppError) return null;
    const { channel } = turn;
    // A channel that cannot stream sends comments at once, so its attempt could not be given up.
    if (used.includes(channel.id) || (channel.setting.nonStreamOnly === true && seeker.stream === true)) {
      this.deps.turns.giveBack(turn);
      return null;
    }
    used.push(channel.id);
    usedChannels.push(channel.id);
    return turn;
  }
}

/** Field by field: an object that begins with a spread one takes half a microsecond more for each further field. */
const servedBy = (
  outcome: AttemptOutcome,
  { channel, lease }: Candidate,
  usedChannels: readonly number[],
  affinity: AffinityResult | undefined,
  aborted?: AbortedAttempt,
): Served => ({
  delivery: outcome.delivery,
  meter: outcome.meter,
  upstreamModel: outcome.upstreamModel,
  reasoningEffort: outcome.reasoningEffort,
  dropped: outcome.dropped,
  firstByteAt: outcome.firstByteAt,
  isStream: outcome.isStream,
  channel,
  usedChannels,
  lease,
  affinity,
  aborted,
});

/** Whether the provider refused the call because of its own limits. */
const isAtLimit = (error: unknown): boolean => error instanceof UpstreamError && error.status === 429;
