import {
  type Drawing,
  drawingKind,
  type DrawingStore,
  finished,
  type TaskLedger,
} from '../../../console/tasks/index.js';
import type { Logger } from '../../../platform/observability/logger.js';
import type { Clock } from '../../../shared/clock.js';
import type { Reservation } from '../../../billing/ledger/index.js';
import type { CallRoute } from '../../../gateway/route/call-route.js';
import { readerOf, type Caller } from '../../../gateway/admit/authentication.js';
import type { PlanPayment } from '../../../gateway/call.js';
import type { ChannelGuard } from '../../../gateway/send/upstream-failure-handler.js';
import type { IncomingRequest } from '../../../gateway/request.js';
import type { RoutingDirectory } from '../../../gateway/route/routing-directory.js';
import { jsonValue, text } from '../field.js';
import type { SubmissionWatch } from '../submission-watch.js';
import { chargeOfTask, type TaskPrice } from '../task-charge.js';
import { isTooPoor, type ReceivedSubmission, type TaskDesk } from '../task-desk.js';
import type { TaskTarget } from '../task-target.js';
import type { Fields } from '../../../dialects/neutral/fields.js';
import { objectIn } from '../incoming-task.js';
import { fieldsWithoutKey, jsonObject, type TaskAnswer, type TaskUpstream } from '../task-upstream.js';
import { isDrawingAction, isWindowAction } from './action.js';
import { DrawingError, requestError, toWire } from './drawing-error.js';
import {
  parseDrawingSubmission,
  upstreamPath,
  type DrawingSubmission,
  type SubmitAddress,
} from './drawing-submission.js';

export interface SubmissionDeps {
  readonly desk: TaskDesk;
  readonly taskLedger: TaskLedger;
  readonly store: DrawingStore;
  readonly upstream: TaskUpstream;
  readonly channels: RoutingDirectory;
  readonly guard: ChannelGuard;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The response to a submission. */
export interface DrawingAnswer {
  readonly status: number;
  readonly body: Buffer | string;
}

const timeout = 60_000;
/** Codes of an accepted submission: 1 accepted, 21 exists or waits for a dialog, 22 queued. */
const takenCodes = new Set([1, 21, 22]);
const noAccount = 3;
/** The largest value of the column. */
const maxCode = 2 ** 31 - 1;

/** Completing a dialog may be free. */
const priceOf = ({ isCharged }: DrawingSubmission, price: TaskPrice): TaskPrice =>
  isCharged ? price : { ...price, quota: 0 };

/** Images, ids and addresses, which are not searched for texts. */
const unsearched: ReadonlySet<string> = new Set([
  ...['base64', 'base64Array', 'maskBase64', 'sourceBase64', 'targetBase64', 'link', 'notifyHook'],
  ...['taskId', 'customId', 'content'],
]);

interface PreparedSubmission {
  readonly watch: SubmissionWatch;
  readonly submission: DrawingSubmission;
  readonly caller: Caller;
  readonly route: CallRoute;
  readonly target: TaskTarget;
  readonly origin: Drawing | null;
}

type PaidSubmission = PreparedSubmission & { readonly price: TaskPrice };

/**
 * Submits drawings: the quota is reserved and the row is written before the provider is called, and the drawing is
 * charged when the provider has accepted the submission.
 */
export class DrawingSubmissions {
  constructor(private readonly deps: SubmissionDeps) {}

  /** @throws DrawingError, AppError */
  submit(address: SubmitAddress, incoming: IncomingRequest): Promise<DrawingAnswer> {
    return this.deps.desk.receive(incoming, 'drawing', (received) => this.serve(address, received), failureOf);
  }

  private async serve(address: SubmitAddress, received: ReceivedSubmission): Promise<DrawingAnswer> {
    const { desk, taskLedger } = this.deps;
    const { incoming } = received;
    const prepared = await this.open(address, received);
    const { submission, caller, route, target } = prepared;
    const priceFor = (payment: PlanPayment | null) => priceOf(submission, desk.price(route, payment));
    const { reservation, price } = await desk
      .reserve(caller, incoming.requestId, { route, target, priceFor })
      .catch((error: unknown) => {
        throw isTooPoor(error) ? requestError('quota_not_enough') : error;
      });
    const row = await this.write(prepared, reservation);
    let answer: TaskAnswer;
    try {
      answer = await this.send(prepared, address);
    } catch (error) {
      await taskLedger.refuse(drawingKind, row, { failReason: 'do_request_failed', code: 5 }, reservation);
      throw new DrawingError(5, 'do_request_failed', '', { cause: error });
    }
    const said = saidBy(answer, target);
    if (!said) {
      await taskLedger.refuse(drawingKind, row, { failReason: 'unreadable answer', code: 5 }, reservation);
      const isEmpty = answer.body.length === 0;
      throw new DrawingError(5, isEmpty ? 'empty_response_body' : 'unmarshal_response_body_failed');
    }
    await this.take({ ...prepared, price }, row, reservation, answer.status, said);
    await desk.succeeded(caller);
    return { status: said['code'] === 30 ? 429 : answer.status, body: JSON.stringify(shown(said, submission)) };
  }

  /** Runs every check that does not need the provider. */
  private async open(
    address: SubmitAddress,
    { watch, caller, rawBody }: ReceivedSubmission,
  ): Promise<PreparedSubmission> {
    const { desk } = this.deps;
    const body = objectIn(rawBody);
    if (!body) throw requestError('bind_request_body_failed');
    let submission = parseDrawingSubmission(address, body, desk.values);
    await watch.checkWords(submission, caller, unsearched);
    const origin = submission.originId === null ? null : await this.origin(caller, submission.originId, submission);
    const channel = origin && desk.channel(origin.channelId);
    const route = channel ? desk.follow(caller, submission.model, channel) : desk.route(caller, submission.model);
    const passed = await watch.checked({ caller, route }, submission, unsearched);
    if (passed !== submission) submission = parseDrawingSubmission(address, passed.body, desk.values);
    const target = channel && origin ? desk.targetOfTask(channel, origin.keyPrint) : desk.choose(route);
    return { watch, submission, caller, route, target, origin };
  }

  private async origin(caller: Caller, taskId: string, submission: DrawingSubmission): Promise<Drawing> {
    const { desk, store } = this.deps;
    const origin = await store.own(readerOf(caller), taskId);
    if (!origin) throw requestError('task_not_found');
    if (!desk.channel(origin.channelId)?.enabled) throw requestError('channel of this task is disabled');
    const asksEnd = desk.values.MjActionCheckSuccessEnabled && submission.action !== 'MODAL';
    if (asksEnd && origin.status !== 'SUCCESS') throw requestError('task_status_not_success');
    return origin;
  }

  private write({ submission, caller, target, origin }: PreparedSubmission, reservation: Reservation): Promise<number> {
    const { taskLedger, desk, clock } = this.deps;
    const row = {
      ...desk.ownerOf(caller, target, reservation),
      action: submission.action,
      prompt: submission.prompt || (origin?.prompt ?? ''),
      submitTime: new Date(clock.now()),
    };
    return taskLedger.open(drawingKind, row, reservation);
  }

  private send({ watch, submission, target }: PreparedSubmission, address: SubmitAddress): Promise<TaskAnswer> {
    const { desk, upstream } = this.deps;
    return watch.send(desk.channel(target.channelId), submission.model, (span) =>
      upstream.call(target, {
        method: 'POST',
        path: upstreamPath(address.mode, address.path),
        headers: { 'mj-api-secret': target.key },
        body: submission.body,
        timeout,
        traced: { span, model: submission.model },
      }),
    );
  }

  private async take(
    prepared: PaidSubmission,
    row: number,
    reservation: Reservation,
    status: number,
    said: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const { taskLedger, desk, clock } = this.deps;
    const { watch, submission, caller, target, price } = prepared;
    const code = codeOf(said);
    if (code === noAccount) this.retire(target);
    if (!isTaken(status, code)) {
      const failReason = text(said['description'], 4000) || `code ${code}`;
      return taskLedger.refuse(
        drawingKind,
        row,
        { code: Math.max(-maxCode, Math.min(Math.trunc(code), maxCode)), failReason },
        reservation,
      );
    }
    const reported = rowOfResponse(submission, code, said, new Date(clock.now()));
    const isCharged = submission.isCharged && (submission.action !== 'SWAP_FACE' || code === 1);
    const words = submission.action === 'SWAP_FACE' ? '' : `, ID ${reported.mjId || row}`;
    const charge = isCharged
      ? chargeOfTask(prepared, `, action ${submission.action}${words}`, watch.notes, desk.values)
      : null;
    const accepted = await taskLedger.accept(
      drawingKind,
      row,
      reported,
      reservation,
      charge,
      windowOf(prepared, reported),
    );
    if (charge) desk.charged(caller, charge, accepted);
    watch.accepted(prepared, desk.channel(target.channelId), isCharged ? price.quota : 0);
    watch.keep(prepared, submission.body, said);
  }

  /**
   * Disables the channel because its proxy has no working account, unless the channel was edited since it was chosen.
   */
  private retire({ channelId, channel: refused }: TaskTarget): void {
    const { desk, guard, channels, logger } = this.deps;
    const channel = desk.channel(channelId);
    if (!channel?.autoDisable || channel.keys !== refused.keys || !desk.values.AutomaticDisableChannelEnabled) return;
    channels.exclude(channelId);
    guard
      .disableAutomatically(channelId, 'the Midjourney proxy has no account', refused)
      .then((disabled) => (disabled === false ? channels.refresh(channelId) : undefined))
      .catch((error: unknown) => {
        logger.error({ err: error, channelId }, 'channel could not be disabled');
      });
  }
}

const codeOf = ({ code }: Fields): number => (typeof code === 'number' ? code : 5);

const isTaken = (status: number, code: number): boolean => status === 200 && takenCodes.has(code);

/**
 * Reads the provider's response; null when it is not a JSON object. The key is removed from a refusal, which the client
 * gets.
 */
function saidBy({ status, body }: TaskAnswer, { key }: TaskTarget): Fields | null {
  const said = jsonObject(body);
  return said === null || isTaken(status, codeOf(said)) ? said : fieldsWithoutKey(said, key);
}

/** Returns the failure that the client gets. */
function failureOf(error: unknown): { readonly status: number; readonly code: string } | null {
  return error instanceof DrawingError ? { status: toWire(error).status, code: `drawing_${error.code}` } : null;
}

/** Returns the row of the dialog that a submission completes, if the drawing has the id of its dialog; else null. */
const windowOf = ({ submission, origin }: PreparedSubmission, { mjId }: Partial<Drawing>): number | null => {
  if (submission.action !== 'MODAL' || !origin || origin.mjId !== mjId) return null;
  return isDrawingAction(origin.action) && isWindowAction(origin.action) ? origin.id : null;
};

/** Returns the changes of the row after the provider's response. */
function rowOfResponse(
  submission: DrawingSubmission,
  code: number,
  said: Readonly<Record<string, unknown>>,
  now: Date,
): Partial<Drawing> {
  const { result } = said;
  const reported: Partial<Drawing> = {
    code,
    // An upload returns URLs instead of a task.
    mjId: Array.isArray(result) ? '' : text(result, 200),
    description: text(said['description'], 4000),
    status: 'SUBMITTED',
  };
  if (submission.action === 'UPLOAD') {
    const imageUrl = Array.isArray(result) ? text(result[0], 4000) : '';
    return { ...reported, mjId: '', imageUrl, status: 'SUCCESS', progress: finished, startTime: now, finishTime: now };
  }
  const properties = (said['properties'] ?? {}) as Readonly<Record<string, unknown>>;
  const imageUrl = text(properties['imageUrl'], 4000);
  const status = text(properties['status'], 40);
  if (code !== 21 || imageUrl === '' || status === '') return reported;
  const known = { ...reported, imageUrl, status, properties: jsonValue(properties) };
  return status === 'SUCCESS' ? { ...known, code: 1, progress: finished, startTime: now, finishTime: now } : known;
}

/** Returns the response for the client. Clients wait for a task in the same way, whether it is new, known or queued. */
function shown(said: Readonly<Record<string, unknown>>, { action }: DrawingSubmission): Record<string, unknown> {
  const { code } = said;
  const isOne = code === 22 || (code === 21 && !isWindowAction(action));
  return isOne ? { ...said, code: 1 } : { ...said };
}
