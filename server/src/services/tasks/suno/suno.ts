import {
  creativeKind,
  type CreativeTask,
  type CreativeTaskStore,
  type TaskLedger,
} from '../../../console/tasks/index.js';
import type { Reservation } from '../../../billing/ledger/index.js';
import { secondsOrZero, unixSeconds, wholeSecond, type Clock } from '../../../shared/clock.js';
import type { CallRoute } from '../../../gateway/route/call-route.js';
import { readerOf, type Caller } from '../../../gateway/admit/authentication.js';
import { withoutKey } from '../../../gateway/send/redact-key.js';
import { maskSecrets } from '../../../dialects/errors/mask-secrets.js';
import type { PlanPayment } from '../../../gateway/call.js';
import type { IncomingRequest } from '../../../gateway/request.js';
import { text } from '../field.js';
import { idsIn, objectIn } from '../incoming-task.js';
import type { SubmissionWatch } from '../submission-watch.js';
import { chargeOfTask, type TaskPrice } from '../task-charge.js';
import { isTooPoor, type ReceivedSubmission, type TaskDesk } from '../task-desk.js';
import type { TaskTarget } from '../task-target.js';
import { jsonObject, type TaskAnswer, type TaskUpstream } from '../task-upstream.js';
import { SunoError, sunoRequestError } from './suno-error.js';
import { parseSunoSubmission, sunoPlatform, type SunoSubmission } from './suno-submission.js';

export interface SunoDeps {
  readonly desk: TaskDesk;
  readonly taskLedger: TaskLedger;
  readonly store: CreativeTaskStore;
  readonly upstream: TaskUpstream;
  readonly clock: Clock;
}

const timeout = 60_000;
/** Ids and the address of a callback, which are not searched for texts. */
const unsearched: ReadonlySet<string> = new Set([
  ...['task_id', 'continue_clip_id', 'cover_clip_id', 'persona_id', 'artist_clip_id', 'notify_hook'],
]);

interface PreparedSubmission {
  readonly watch: SubmissionWatch;
  readonly submission: SunoSubmission;
  readonly caller: Caller;
  readonly route: CallRoute;
  readonly target: TaskTarget;
}

type PaidSubmission = PreparedSubmission & { readonly price: TaskPrice };

/** Music and lyrics by Suno proxies (docs/reference/relay/tasks.md#suno). */
export class Suno {
  constructor(private readonly deps: SunoDeps) {}

  /**
   * @returns the provider's response
   * @throws SunoError, AppError
   */
  submit(actionName: string, incoming: IncomingRequest): Promise<Record<string, unknown>> {
    return this.deps.desk.receive(
      incoming,
      'music',
      (received) => this.serve(actionName, received),
      (error) => (error instanceof SunoError ? { status: error.status, code: error.code } : null),
    );
  }

  private async serve(actionName: string, received: ReceivedSubmission): Promise<Record<string, unknown>> {
    const { desk, taskLedger } = this.deps;
    const prepared = await this.open(actionName, received);
    const { caller, route, target } = prepared;
    const priceFor = (payment: PlanPayment | null) => desk.price(route, payment);
    const { reservation, price } = await desk
      .reserve(caller, received.incoming.requestId, { route, target, priceFor })
      .catch((error: unknown) => {
        throw isTooPoor(error) ? new SunoError(403, 'quota_not_enough', 'user quota is not enough') : error;
      });
    const row = await this.write(prepared, reservation);
    let said: Record<string, unknown>;
    try {
      const answer = await this.send(prepared);
      said = await this.take({ ...prepared, price }, row, reservation, answer);
    } catch (error) {
      const failReason = error instanceof SunoError ? error.message : 'do_request_failed';
      await taskLedger.refuse(creativeKind, row, { failReason }, reservation);
      throw error;
    }
    await desk.succeeded(caller);
    return said;
  }

  /** Returns the tasks with these ids that belong to the caller. */
  async many(incoming: IncomingRequest): Promise<Array<Record<string, unknown>>> {
    const caller = await this.deps.desk.authenticateLookup(incoming);
    const tasks = await this.deps.store.ownMany(readerOf(caller), sunoPlatform, await idsIn(incoming));
    return tasks.map(toWire);
  }

  /** @throws SunoError task_not_exist */
  async one(incoming: IncomingRequest, taskId: string): Promise<Record<string, unknown>> {
    const caller = await this.deps.desk.authenticateLookup(incoming);
    const task = await this.deps.store.own(readerOf(caller), sunoPlatform, taskId);
    if (!task) throw sunoRequestError('task_not_exist');
    return toWire(task);
  }

  private async open(actionName: string, { watch, caller, rawBody }: ReceivedSubmission): Promise<PreparedSubmission> {
    const body = objectIn(rawBody);
    if (!body) throw sunoRequestError('invalid_request', 'the body is not a JSON object');
    let submission = parseSunoSubmission(actionName, body);
    await watch.checkWords(submission, caller, unsearched);
    const { route, target } = await this.route(caller, submission);
    const passed = await watch.checked({ caller, route }, submission, unsearched);
    if (passed !== submission) submission = parseSunoSubmission(actionName, passed.body);
    return { watch, submission, caller, route, target };
  }

  private async route(
    caller: Caller,
    submission: SunoSubmission,
  ): Promise<Pick<PreparedSubmission, 'route' | 'target'>> {
    const { desk, store } = this.deps;
    if (submission.originId === null) {
      const route = desk.route(caller, submission.model);
      return { route, target: desk.choose(route) };
    }
    const origin = await store.own(readerOf(caller), sunoPlatform, submission.originId);
    if (!origin) throw sunoRequestError('task_not_exist');
    const channel = desk.channel(origin.channelId);
    if (!channel?.enabled) throw sunoRequestError('task_channel_disable');
    return {
      route: desk.follow(caller, submission.model, channel),
      target: desk.targetOfTask(channel, origin.keyPrint),
    };
  }

  private write({ submission, caller, target }: PreparedSubmission, reservation: Reservation): Promise<number> {
    const { taskLedger, desk, clock } = this.deps;
    const row = {
      ...desk.creativeOwnerOf(wholeSecond(clock.now()), caller, target, reservation),
      platform: sunoPlatform,
      action: submission.action,
      properties: { input: submission.input },
    };
    return taskLedger.open(creativeKind, row, reservation);
  }

  private async send({ watch, submission, target }: PreparedSubmission): Promise<TaskAnswer> {
    const { desk, upstream } = this.deps;
    try {
      return await watch.send(desk.channel(target.channelId), submission.model, (span) =>
        upstream.call(target, {
          method: 'POST',
          path: `/suno/submit/${submission.action}`,
          headers: { authorization: `Bearer ${target.key}` },
          body: submission.body,
          timeout,
          traced: { span, model: submission.model },
        }),
      );
    } catch (error) {
      throw new SunoError(500, 'do_request_failed', 'Request to the upstream address failed', { cause: error });
    }
  }

  /** @throws SunoError when the provider did not accept the task */
  private async take(
    prepared: PaidSubmission,
    row: number,
    reservation: Reservation,
    { status, body }: TaskAnswer,
  ): Promise<Record<string, unknown>> {
    const { taskLedger, desk } = this.deps;
    const { watch, submission, caller, target } = prepared;
    const shown = (said: string): string => maskSecrets(withoutKey(said, target.key).slice(0, 2000));
    if (status !== 200) throw new SunoError(status, 'fail_to_fetch_task', shown(body.toString()));
    const said = jsonObject(body);
    if (!said) throw new SunoError(500, 'unmarshal_response_body_failed', 'The upstream response is not JSON');
    if (said['code'] !== 'success') {
      const code = withoutKey(text(said['code'], 200), target.key);
      throw new SunoError(500, code || 'upstream_error', shown(text(said['message'])));
    }
    const taskId = text(said['data'], 200);
    if (taskId === '') throw new SunoError(500, 'invalid_response', 'The upstream returned no task id');
    const charge = chargeOfTask(prepared, `, action ${submission.action}`, watch.notes, desk.values);
    const accepted = await taskLedger.accept(creativeKind, row, { taskId, status: 'SUBMITTED' }, reservation, charge);
    desk.charged(caller, charge, accepted);
    watch.accepted(prepared, desk.channel(target.channelId), charge.quota);
    watch.keep(prepared, submission.body, said);
    return said;
  }
}

/** Returns a task in the shape of Suno proxies. */
const toWire = (task: CreativeTask): Record<string, unknown> => ({
  task_id: task.taskId,
  action: task.action,
  status: task.status,
  fail_reason: task.failReason,
  submit_time: unixSeconds(task.submitTime),
  start_time: secondsOrZero(task.startTime),
  finish_time: secondsOrZero(task.finishTime),
  progress: `${task.progress}%`,
  data: task.data,
});
