import type { CaptureRule } from '../../shared/capture-rule.js';
import { isAppError } from '../../shared/errors.js';
import { noUsage } from '../../shared/usage.js';
import type { CallRoute } from '../../gateway/route/call-route.js';
import type { Caller } from '../../gateway/admit/authentication.js';
import type { IncomingRequest } from '../../gateway/request.js';
import { toCallFailure, type CallFailure } from '../../dialects/errors/failure.js';
import { UpstreamError } from '../../dialects/errors/upstream-error.js';
import type { CallGuard, GuardNote } from '../../gateway/admit/guardrails/call-guard.js';
import { guardedInput, textsOf, type GivenBody } from '../../gateway/admit/guardrails/guarded-input.js';
import type { Guardrails } from '../../gateway/admit/guardrails/guardrails.js';
import type { Fields } from '../../dialects/neutral/fields.js';
import { SearchTime } from '../../platform/matching/search.js';
import type { Captures } from '../../gateway/observe/captures.js';
import type { ErrorLog } from '../../gateway/observe/error-log.js';
import type { RoutedChannel } from '../../gateway/route/routed-channel.js';
import type { AttemptSpan, CallTrace } from '../../gateway/observe/tracing/call-trace.js';
import type { Tracing } from '../../gateway/observe/tracing/tracing.js';
import type { TaskAnswer } from './task-upstream.js';

export interface SubmissionWatchDeps {
  readonly guardrails: Guardrails;
  readonly captures: Captures;
  readonly tracing: Tracing | undefined;
  readonly errors: ErrorLog;
}

/** Members of `admin_info` in the log row of a task. */
export interface WatchNotes {
  readonly guardrails?: readonly GuardNote[];
  readonly captured?: true;
}

export type SubmissionKind = 'drawing' | 'music' | 'video';

interface Watched {
  readonly caller: Caller;
  readonly route: CallRoute;
}

/** Spans, guardrails and capture of one submission. If none is in use, it costs a few comparisons. */
export class SubmissionWatch {
  private readonly trace: CallTrace | undefined;
  private guard: CallGuard | undefined;
  private capture: CaptureRule | undefined;
  private readonly time = new SearchTime();

  /** @param kind `gen_ai.operation.name` of the span */
  constructor(
    private readonly deps: SubmissionWatchDeps,
    private readonly incoming: IncomingRequest,
    kind: SubmissionKind,
  ) {
    this.trace = deps.tracing?.begin({ operation: kind }, incoming);
  }

  /**
   * Runs the submission inside of its span.
   * @param failureOf returns the failure that the client gets for an error of its own shape
   */
  async run<Result>(
    work: () => Promise<Result>,
    failureOf: (error: unknown) => Pick<CallFailure, 'status' | 'code'> | null,
  ): Promise<Result> {
    let outcome = 'ok';
    try {
      return await work();
    } catch (error) {
      const failure = { ...toCallFailure(error), ...(isAppError(error) ? {} : failureOf(error)) };
      this.trace?.failed(failure);
      outcome = failure.status < 500 ? 'client_error' : 'upstream_error';
      throw error;
    } finally {
      this.trace?.end({ outcome });
    }
  }

  /**
   * @param unsearched fields with media and ids
   * @throws AppError SENSITIVE_WORDS; UnavailableError
   */
  async checkWords(given: GivenBody, { user }: Caller, unsearched: ReadonlySet<string>): Promise<void> {
    const { words } = this.deps.guardrails;
    const { requestId } = this.incoming;
    if (!words.enabled) return;
    await words.check(textsOf(given, unsearched), { userId: user.id, requestId, time: this.time });
  }

  /**
   * Returns the request after all guardrails for input; the same object when nothing was masked.
   * @param unsearched fields with media and ids
   * @throws AppError GUARDRAIL_BLOCKED; UnavailableError when a check that fails closed failed
   */
  async checked<Given extends GivenBody>(
    { caller, route }: Watched,
    given: Given,
    unsearched: ReadonlySet<string>,
  ): Promise<Given> {
    const { guardrails, captures, errors } = this.deps;
    const { requestId, path, address, startedAt } = this.incoming;
    this.capture = captures.of(caller, route.group);
    this.guard = guardrails.of(caller, route.group, route.model, requestId, this.time);
    if (!this.guard?.checksInput) return given;
    try {
      return await guardedInput(this.guard, given, unsearched);
    } catch (error) {
      const received = { requestId, path, address, startedAt };
      const call = { ...received, caller, route, guard: this.guard, request: { stream: false } };
      errors.guarded({ call, error, failure: toCallFailure(error), usedChannels: [] });
      throw error;
    }
  }

  /** Sends the submission inside of a child span. */
  async send(
    channel: RoutedChannel | undefined,
    model: string,
    send: (span: AttemptSpan | undefined) => Promise<TaskAnswer>,
  ): Promise<TaskAnswer> {
    const span = channel && this.trace?.attempt({ channel }, model);
    try {
      const answer = await send(span);
      if (answer.status >= 200 && answer.status < 300) span?.served(received(model));
      else span?.failed(new UpstreamError(answer.status, { message: '' }));
      return answer;
    } catch (error) {
      span?.failed(error);
      throw error;
    }
  }

  /** The client's address. */
  get address(): string {
    return this.incoming.address;
  }

  get notes(): WatchNotes {
    return {
      ...(this.guard && this.guard.notes.length > 0 ? { guardrails: this.guard.notes } : {}),
      ...(this.capture ? { captured: true } : {}),
    };
  }

  /** Records that the provider accepted the submission, and `quota` was charged. */
  accepted({ caller, route }: Watched, channel: RoutedChannel | undefined, quota: number): void {
    if (!this.trace || !channel) return;
    const call = { body: {}, stream: false, maxOutput: 0 };
    const served = { ...received(route.model), channel };
    this.trace.served({ caller, route, request: call, startedAt: this.incoming.startedAt }, served, {
      usage: noUsage,
      quota,
    });
  }

  /** Stores the submission and the response, in the background. */
  keep({ caller, route }: Watched, body: Fields, response: Fields): void {
    if (!this.capture) return;
    const { requestId } = this.incoming;
    const call = { requestId, caller, route, request: { body: withoutImages(body) } };
    this.deps.captures.keep(call, this.capture, { transcript: JSON.stringify(response) });
  }
}

const received = (upstreamModel: string) => ({
  upstreamModel,
  firstByteAt: null,
  delivery: { end: { kind: 'complete' } },
});

/** Returns the body without images, which are inside of it as text. */
const withoutImages = (body: Fields): Fields =>
  Object.fromEntries(Object.entries(body).map(([name, value]) => [name, /base64/i.test(name) ? '[media]' : value]));
