import { readerOf } from '../../../gateway/admit/authentication.js';
import {
  type Drawing,
  drawingKind,
  type DrawingNotifyService,
  type DrawingStore,
  imageLink,
  isImageKey,
  rowOfImageKey,
  type TaskLedger,
} from '../../../console/tasks/index.js';
import type { GuardedFetch } from '../../../platform/outbound/guarded-fetch.js';
import type { Clock } from '../../../shared/clock.js';
import type { Secrets } from '../../../shared/secrets.js';
import { withoutKey } from '../../../gateway/send/redact-key.js';
import type { IncomingRequest } from '../../../gateway/request.js';
import { text } from '../field.js';
import { idsIn } from '../incoming-task.js';
import type { TaskDesk } from '../task-desk.js';
import { jsonObject, type TaskUpstream } from '../task-upstream.js';
import { DrawingError, requestError } from './drawing-error.js';
import { drawingStep } from './drawing-step.js';
import { upstreamPath } from './drawing-submission.js';
import type { DrawingAnswer } from './drawing-submissions.js';

export interface DrawingLookupDeps {
  readonly desk: TaskDesk;
  readonly store: DrawingStore;
  readonly taskLedger: TaskLedger;
  readonly upstream: TaskUpstream;
  readonly notify: DrawingNotifyService;
  readonly images: Pick<GuardedFetch, 'fetch'>;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

const seedTimeout = 30_000;

/** An image to return to a client. */
export interface DrawingImage {
  readonly type: string;
  readonly body: Buffer;
}

/** Why an image cannot be returned. */
export interface ImageRefusal {
  readonly error: 'midjourney_task_not_found' | 'image_not_available' | 'not_an_image';
  /** HTTP status of the response. */
  readonly status: number;
}

/** The content type of images from providers that send none. */
const fallbackImageType = 'image/jpeg';

/** Lookups of drawings by clients, and reports of providers about them. */
export class DrawingLookup {
  constructor(private readonly deps: DrawingLookupDeps) {}

  /** @throws DrawingError, AppError */
  async one(incoming: IncomingRequest, mjId: string): Promise<Record<string, unknown>> {
    const { desk, store } = this.deps;
    const caller = await desk.authenticateLookup(incoming);
    const drawing = await store.own(readerOf(caller), mjId);
    if (!drawing) throw requestError('task_no_found');
    return this.toWire(drawing);
  }

  /** Returns the drawings with these ids that belong to the caller. */
  async many(incoming: IncomingRequest): Promise<Array<Record<string, unknown>>> {
    const { desk, store } = this.deps;
    const caller = await desk.authenticateLookup(incoming);
    const drawings = await store.ownMany(readerOf(caller), await idsIn(incoming));
    return drawings.map((drawing) => this.toWire(drawing));
  }

  /**
   * Returns the provider's response, without the channel's key.
   * @throws DrawingError, AppError
   */
  async seed(incoming: IncomingRequest, mjId: string, mode: string): Promise<DrawingAnswer> {
    const { desk, store, upstream } = this.deps;
    const caller = await desk.authenticateLookup(incoming);
    const drawing = await store.own(readerOf(caller), mjId);
    if (!drawing) throw requestError('task_not_found');
    const channel = desk.channel(drawing.channelId);
    if (!channel?.enabled) throw requestError('channel of this task is disabled');
    const target = desk.targetOfTask(channel, drawing.keyPrint);
    try {
      const { status, body } = await upstream.call(target, {
        method: 'GET',
        path: upstreamPath(mode, `task/${encodeURIComponent(mjId)}/image-seed`),
        headers: { 'mj-api-secret': target.key },
        timeout: seedTimeout,
      });
      return { status, body: withoutKey(body.toString(), target.key) };
    } catch (error) {
      throw new DrawingError(5, 'do_request_failed', '', { cause: error });
    }
  }

  /**
   * Handles a provider's report about a drawing of its own channel.
   * @throws DrawingError
   */
  async report(channelId: number, secret: string, readBody: () => Promise<Buffer>): Promise<void> {
    const { notify, store, taskLedger, clock } = this.deps;
    if (!notify.isGood(channelId, secret)) throw requestError('notify_not_allowed');
    const item = jsonObject(await readBody());
    if (!item) throw requestError('bind_request_body_failed');
    const drawings = await store.ofChannel(channelId, text(item['id'], 200));
    if (drawings.length === 0) throw requestError('midjourney_task_not_found');
    for (const drawing of drawings) {
      const step = drawingStep(item, drawing, new Date(clock.now()));
      if (step) await taskLedger.move(drawingKind, drawing.id, step);
    }
  }

  /**
   * The image behind a link of this gateway.
   * @returns a refusal when the link is invalid or the provider sends no image
   * @throws AppError of the guarded fetch
   */
  async image(mjId: string, key: string): Promise<DrawingImage | ImageRefusal> {
    const { store, secrets, images } = this.deps;
    const row = rowOfImageKey(key);
    const drawing = row === null ? null : await store.byId(row);
    if (!drawing || drawing.mjId !== mjId || drawing.imageUrl === '' || !isImageKey(key, drawing, secrets)) {
      return { error: 'midjourney_task_not_found', status: 400 };
    }
    const response = await images.fetch({ url: drawing.imageUrl, policy: 'public-only' });
    if (response.status !== 200) return { error: 'image_not_available', status: response.status };
    const stated = response.headers['content-type'];
    const type = typeof stated === 'string' ? stated : fallbackImageType;
    return /^image\//i.test(type) ? { type, body: response.body } : { error: 'not_an_image', status: 502 };
  }

  /** Returns a drawing in the shape of Midjourney proxies. */
  private toWire(drawing: Drawing): Record<string, unknown> {
    const { desk, secrets, clock } = this.deps;
    return {
      id: drawing.mjId,
      action: drawing.action,
      customId: '',
      botType: '',
      prompt: drawing.prompt,
      promptEn: drawing.promptEn,
      description: drawing.description,
      state: drawing.state,
      submitTime: drawing.submitTime.getTime(),
      startTime: drawing.startTime?.getTime() ?? 0,
      finishTime: drawing.finishTime?.getTime() ?? 0,
      imageUrl: imageLink(drawing, desk.values, secrets, clock.now()),
      status: drawing.status,
      progress: `${drawing.progress}%`,
      failReason: drawing.failReason,
      buttons: drawing.buttons,
      maskBase64: '',
      properties: drawing.properties,
    };
  }
}
