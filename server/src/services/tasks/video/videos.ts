import {
  creativeKind,
  type CreativeTask,
  type CreativeTaskStore,
  type TaskLedger,
  videoPlatform,
} from '../../../console/tasks/index.js';
import type { VideoPrice } from '../../../billing/prices/index.js';
import type { Reservation } from '../../../billing/ledger/index.js';
import { wholeSecond, type Clock } from '../../../shared/clock.js';
import { AppError } from '../../../shared/errors.js';
import type { CallRoute } from '../../../gateway/route/call-route.js';
import { readerOf, type Caller } from '../../../gateway/admit/authentication.js';
import { notFound } from '../../../gateway/route/affinity/call-origin.js';
import { droppedHeader } from '../../../gateway/send/attempt-exchange.js';
import { mapModel } from '../../../gateway/route/model-mapping.js';
import { redactKey } from '../../../gateway/send/redact-key.js';
import type { ClientResponse } from '../../../gateway/deliver/client-response.js';
import type { PlanPayment } from '../../../gateway/call.js';
import type { IncomingRequest } from '../../../gateway/request.js';
import { toCallFailure, type CallFailure } from '../../../dialects/errors/failure.js';
import { toUpstreamError } from '../../../dialects/errors/read-upstream-error.js';
import { RelayError } from '../../../dialects/errors/relay-error.js';
import { UpstreamError } from '../../../dialects/errors/upstream-error.js';
import { parseJsonBody } from '../../../dialects/wire/forms/json-body.js';
import { asFields, type Fields } from '../../../dialects/neutral/fields.js';
import { unsearchedMedia } from '../../known-fields.js';
import { text } from '../field.js';
import type { SubmissionWatch } from '../submission-watch.js';
import { chargeOfVideo } from '../task-charge.js';
import type { ReceivedSubmission, TaskDesk } from '../task-desk.js';
import type { TaskTarget } from '../task-target.js';
import { fieldsWithoutKey, jsonObject, type TaskAnswer, type TaskUpstream } from '../task-upstream.js';
import { droppedBy, namesOf, type VideoDialect, type VideoRequest, type VideoTerms } from './video-dialect.js';
import { videosOf, withAddress } from './video-dialects.js';
import {
  openVideoSubmission,
  parseVideoSubmission,
  promptOf,
  type SubmissionForm,
  type VideoSubmission,
} from './video-submission.js';
import { storedReport, toVideoWire, videoIdOf } from './video-row.js';

export interface VideosDeps {
  readonly desk: TaskDesk;
  readonly taskLedger: TaskLedger;
  readonly store: CreativeTaskStore;
  readonly upstream: TaskUpstream;
  readonly clock: Clock;
}

/**
 * Milliseconds. Providers accept images of several megabytes with a submission, and some check them before they
 * respond.
 */
const submissionTimeout = 120_000;
const timeout = 30_000;
const longestPage = 100;

/** A submission that is about to be reserved and sent. */
interface PreparedSubmission {
  readonly watch: SubmissionWatch;
  readonly caller: Caller;
  readonly route: CallRoute;
  readonly target: TaskTarget;
  readonly dialect: VideoDialect;
  readonly upstreamModel: string;
  readonly request: VideoRequest;
  readonly terms: VideoTerms;
  readonly prompt: string;
  /** Fields that are not sent to the provider. */
  readonly dropped: readonly string[];
  /** The body for the capture, without images. */
  readonly kept: Fields;
  readonly remixedFrom?: string;
}

type PaidSubmission = PreparedSubmission & { readonly price: VideoPrice };

/** Videos in OpenAI's form, by any provider of videos (docs/reference/relay/tasks.md#videos). */
export class Videos {
  constructor(private readonly deps: VideosDeps) {}

  /**
   * Submits a video.
   * @param form of the JSON body; absent: OpenAI's
   * @throws AppError, UpstreamError
   */
  create(
    incoming: IncomingRequest,
    client: Pick<ClientResponse, 'setHeader'>,
    form?: SubmissionForm,
  ): Promise<Record<string, unknown>> {
    return this.received(incoming, async (received) => {
      const prepared = await this.opened(received, form);
      if (prepared.dropped.length > 0) client.setHeader('x-tollgate-dropped', droppedHeader(prepared.dropped));
      return prepared;
    });
  }

  /**
   * Submits a video that is based on one of the caller's, at the channel and key that created it.
   * @throws AppError, UpstreamError
   */
  remix(incoming: IncomingRequest, id: string): Promise<Record<string, unknown>> {
    return this.received(incoming, (received) => this.openedRemix(received, id));
  }

  /** @throws AppError */
  async one(incoming: IncomingRequest, id: string): Promise<Record<string, unknown>> {
    return toVideoWire(await this.row(incoming, id));
  }

  /**
   * Returns the stored task of a video of the caller.
   * @throws AppError
   */
  async row(incoming: IncomingRequest, id: string): Promise<CreativeTask> {
    return this.own(await this.deps.desk.authenticateLookup(incoming), id);
  }

  /**
   * Returns the caller's videos, newest first.
   * @throws AppError
   */
  async list(incoming: IncomingRequest): Promise<Record<string, unknown>> {
    const { desk, store } = this.deps;
    const caller = await desk.authenticateLookup(incoming);
    const query = new URLSearchParams(incoming.query);
    const after = query.get('after');
    const limit = Number(query.get('limit') ?? 20);
    if (!Number.isInteger(limit) || limit < 1 || limit > longestPage) {
      throw new RelayError('INVALID_INPUT', `limit must be from 1 to ${longestPage}`, 'invalid_video_request');
    }
    // A video that was deleted since it was listed still marks a position in the list.
    const from = after === null || after === '' ? null : await this.find(caller, after);
    const isAscending = query.get('order') === 'asc';
    const found = await store.ownPage(readerOf(caller), videoPlatform, { from, limit: limit + 1, isAscending });
    const data = found.slice(0, limit).map(toVideoWire);
    return {
      object: 'list',
      data,
      has_more: found.length > limit,
      first_id: data[0]?.['id'] ?? null,
      last_id: data.at(-1)?.['id'] ?? null,
    };
  }

  /**
   * Hides a finished video, after the provider has deleted it if it can.
   * @throws AppError, UpstreamError
   */
  async remove(incoming: IncomingRequest, id: string): Promise<Record<string, unknown>> {
    const { desk, store } = this.deps;
    const row = await this.own(await desk.authenticateLookup(incoming), id);
    if (row.status !== 'SUCCESS' && row.status !== 'FAILURE')
      throw notReady('A video that is being made cannot be deleted');
    const channel = desk.channel(row.channelId);
    const dialect = channel && videosOf(channel);
    const name = row.properties.upstream ?? '';
    if (channel && dialect?.remove && name !== '') {
      const target = withAddress(desk.targetOfTask(channel, row.keyPrint));
      const answer = await this.deps.upstream.call(target, { ...dialect.remove(name, target), timeout });
      if (!isGood(answer) && answer.status !== 404) throw refusedBy(answer, target);
    }
    await store.hide(row.id);
    return { id, object: 'video.deleted', deleted: true };
  }

  /**
   * Returns a video of the caller.
   * @throws RelayError video_not_found
   */
  async own(caller: Caller, id: string): Promise<CreativeTask> {
    const row = await this.find(caller, id);
    if (row.properties.deleted !== true) return row;
    throw unknown(id);
  }

  /** Returns a video of the caller, even if it was deleted. */
  private async find(caller: Caller, id: string): Promise<CreativeTask> {
    const row = await this.deps.store.own(readerOf(caller), videoPlatform, id);
    if (row) return row;
    throw unknown(id);
  }

  /**
   * Returns a failure in the form for the client, which may not see the provider's text (option
   * `global.hide_upstream_error_enabled`).
   */
  failureOf(error: unknown): CallFailure {
    const hidden = this.deps.desk.values['global.hide_upstream_error_enabled'];
    return toCallFailure(error, error instanceof UpstreamError ? { status: error.status, hidden } : undefined);
  }

  private received(
    incoming: IncomingRequest,
    open: (received: ReceivedSubmission) => Promise<PreparedSubmission>,
  ): Promise<Record<string, unknown>> {
    return this.deps.desk.receive(incoming, 'video', async (received) =>
      this.serve(await open(received), incoming.requestId),
    );
  }

  private async opened(
    { incoming, watch, caller, rawBody }: ReceivedSubmission,
    form?: SubmissionForm,
  ): Promise<PreparedSubmission> {
    const { desk } = this.deps;
    const opened = openVideoSubmission(rawBody, incoming.headers['content-type'] ?? '', form);
    const route = withVideos(desk.route(caller, opened.model));
    let submission = parseVideoSubmission(opened);
    await watch.checkWords(submission, caller, unsearchedMedia);
    const passed = await watch.checked({ caller, route }, submission, unsearchedMedia);
    if (passed !== submission) submission = parseVideoSubmission(passed);
    const target = withAddress(desk.choose(route));
    const dialect = dialectOf(target);
    const upstreamModel = mapModel(target.channel.mapping, route.model, route.bareModel);
    const terms = dialect.terms(submission, upstreamModel);
    const request = dialect.toRequest(submission, terms, upstreamModel, target);
    refuseForeignFile(submission, target, caller);
    const kept = withoutImages(submission.body);
    const routed = { caller, route, target, dialect, terms };
    const dropped = droppedBy(dialect, submission);
    return { watch, upstreamModel, request, prompt: submission.prompt, dropped, kept, ...routed };
  }

  private async openedRemix({ watch, caller, rawBody }: ReceivedSubmission, id: string): Promise<PreparedSubmission> {
    const { desk } = this.deps;
    const body = parseJsonBody(rawBody);
    const source = await this.own(caller, id);
    if (source.status !== 'SUCCESS') throw notReady('The video is not complete');
    const channel = desk.channel(source.channelId);
    if (!channel?.enabled) throw new AppError('CHANNEL_DISABLED', 'The channel of this video is disabled');
    const { model = '', seconds = 0, size = '', resolution = '720p', upstream = '' } = source.properties;
    const route = desk.follow(caller, model, channel);
    await watch.checkWords({ body }, caller, unsearchedMedia);
    const { body: passed } = await watch.checked({ caller, route }, { body }, unsearchedMedia);
    const prompt = promptOf(passed);
    const target = withAddress(desk.targetOfTask(channel, source.keyPrint));
    const dialect = dialectOf(target);
    if (!dialect.remix) throw new AppError('UNSUPPORTED_BY_CHANNEL', `Model ${model} makes no video from another one`);
    const request = dialect.remix(upstream, prompt, target);
    const routed = { caller, route, target, dialect, terms: { seconds, size, resolution } };
    const dropped = namesOf(passed, (name) => name !== 'prompt');
    const remixed = { kept: passed, dropped, remixedFrom: id };
    const upstreamModel = mapModel(channel.mapping, model, route.bareModel);
    return { watch, upstreamModel, request, prompt, ...remixed, ...routed };
  }

  private async serve(prepared: PreparedSubmission, requestId: string): Promise<Record<string, unknown>> {
    const { desk, taskLedger } = this.deps;
    const { caller, route, target, terms } = prepared;
    const priceFor = (payment: PlanPayment | null) => desk.videoPrice(route, terms, payment);
    const { reservation, price } = await desk.reserve(caller, requestId, { route, target, priceFor });
    const row = this.rowOf(prepared, reservation);
    const id = await taskLedger.open(creativeKind, row, reservation);
    let taken: Partial<CreativeTask>;
    try {
      const said = await this.send(prepared);
      taken = await this.take({ ...prepared, price }, { id, properties: row.properties }, reservation, said);
    } catch (error) {
      const { message } = this.failureOf(error);
      await taskLedger.refuse(creativeKind, id, { failReason: text(message, 4000) }, reservation);
      throw error;
    }
    await desk.succeeded(caller);
    return toVideoWire({ ...row, progress: 0, ...taken } as CreativeTask);
  }

  private rowOf(
    { caller, target, terms, prompt, remixedFrom, route }: PreparedSubmission,
    reservation: Reservation,
  ): Pick<CreativeTask, 'properties' | 'submitTime'> & Partial<CreativeTask> {
    const { desk, clock } = this.deps;
    return {
      ...desk.creativeOwnerOf(wholeSecond(clock.now()), caller, target, reservation),
      platform: videoPlatform,
      action: 'VIDEO',
      properties: {
        input: text(prompt),
        model: route.model,
        seconds: terms.seconds,
        size: terms.size,
        resolution: terms.resolution,
        ...(remixedFrom === undefined ? {} : { remixedFrom }),
      },
    };
  }

  /** @throws UpstreamError, AppError */
  private async send({ watch, target, upstreamModel, request, dialect }: PreparedSubmission): Promise<Fields> {
    const answer = await watch.send(target.channel, upstreamModel, (span) =>
      this.deps.upstream.call(target, {
        ...request,
        timeout: submissionTimeout,
        traced: { span, model: upstreamModel },
      }),
    );
    if (!isGood(answer)) throw refusedBy(answer, target);
    return saidIn(answer, dialect, target);
  }

  /**
   * Returns the data that name the source of a completed video.
   * @throws UpstreamError, AppError
   */
  async located(row: CreativeTask, target: TaskTarget): Promise<Fields> {
    const dialect = dialectOf(target);
    const data = asFields(row.data) ?? {};
    if (!dialect.locate) return data;
    const request = dialect.locate(row.properties.upstream ?? '', data, target);
    const answer = await this.deps.upstream.call(target, { ...request, timeout });
    if (!isGood(answer)) throw refusedBy(answer, target);
    return saidIn(answer, dialect, target);
  }

  /**
   * Stores a submission that the provider has accepted.
   * @throws AppError when the provider named no video
   */
  private async take(
    prepared: PaidSubmission,
    row: Pick<CreativeTask, 'id' | 'properties'>,
    reservation: Reservation,
    said: Fields,
  ): Promise<Partial<CreativeTask>> {
    const { taskLedger, desk } = this.deps;
    const { caller, dialect, watch, target, terms, upstreamModel, kept, request } = prepared;
    const upstream = dialect.nameIn(said, request);
    if (upstream === '') throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream returned no id of a video');
    const charge = chargeOfVideo({ ...prepared, video: terms }, upstreamModel, watch.notes, desk.values);
    const fields = {
      taskId: videoIdOf(reservation.requestId),
      status: 'SUBMITTED',
      data: storedReport(said),
      properties: { ...row.properties, upstream },
    };
    const accepted = await taskLedger.accept(creativeKind, row.id, fields, reservation, charge);
    desk.charged(caller, charge, accepted);
    watch.accepted(prepared, target.channel, charge.quota);
    watch.keep(prepared, kept, said);
    return fields;
  }
}

/**
 * Removes channels whose provider has no videos from a route.
 * @throws AppError UNSUPPORTED_BY_CHANNEL when none is left
 */
function withVideos(route: CallRoute): CallRoute {
  const { candidates, pinned, model } = route;
  const tiers = candidates.tiers
    .map((tier) => ({ ...tier, channels: tier.channels.filter((channel) => videosOf(channel)) }))
    .filter(({ channels }) => channels.length > 0);
  if (pinned ? videosOf(pinned) : tiers.length > 0) return { ...route, candidates: { ...candidates, tiers } };
  throw new AppError('UNSUPPORTED_BY_CHANNEL', `No channel of model ${model} makes videos`);
}

/**
 * Refuses a file of a shared account, because its provider finds a file by its id for every caller.
 * @throws RelayError unknown_id
 */
function refuseForeignFile({ reference }: VideoSubmission, { channel }: TaskTarget, { user }: Caller): void {
  if (reference?.kind !== 'file' || channel.ownerId === user.id) return;
  throw notFound({ field: 'input_reference.file_id', id: reference.id }, 'is not known');
}

/** @throws AppError UNSUPPORTED_BY_CHANNEL when the type of the channel was changed */
export function dialectOf({ channel }: Pick<TaskTarget, 'channel'>): VideoDialect {
  const dialect = videosOf(channel);
  if (dialect) return dialect;
  throw new AppError('UNSUPPORTED_BY_CHANNEL', `Channel type ${channel.type} does not offer videos`);
}

const isGood = ({ status }: TaskAnswer): boolean => status >= 200 && status < 300;

/**
 * Returns the object of a response with a successful status, without the channel's key.
 * @throws UpstreamError, AppError
 */
function saidIn({ body }: TaskAnswer, dialect: VideoDialect, { key }: TaskTarget): Fields {
  const said = jsonObject(body);
  if (!said) throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is not JSON');
  const kept = fieldsWithoutKey(said, key);
  dialect.check?.(kept);
  return kept;
}

const refusedBy = ({ status, body }: TaskAnswer, { key }: TaskTarget): unknown =>
  redactKey(toUpstreamError(status, body), key);

const unknown = (id: string): RelayError =>
  new RelayError('NOT_FOUND', `Video with id '${id.slice(0, 100)}' not found.`, 'video_not_found');

/** Removes the images, which may be inside of the body, by any of their names. */
const withoutImages = (body: Fields): Fields =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, /^(?:input_reference|image)/.test(name) ? '[media]' : value]),
  );

export const notReady = (message: string): RelayError => new RelayError('INVALID_INPUT', message, 'video_not_ready');
