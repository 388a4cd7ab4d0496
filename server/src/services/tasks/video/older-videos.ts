import type { CreativeTask, VideoLinks } from '../../../console/tasks/index.js';
import type { ClientResponse } from '../../../gateway/deliver/client-response.js';
import type { IncomingRequest } from '../../../gateway/request.js';
import { asFields, someText, type Fields } from '../../../dialects/neutral/fields.js';
import { toVideoWire } from './video-row.js';
import { invalidVideo, submissionFields } from './video-submission.js';
import type { Videos } from './videos.js';

interface OlderVideosDeps {
  readonly videos: Videos;
  readonly links: VideoLinks;
}

/** Videos in the form of older gateways, `/v1/video/generations`. */
export class OlderVideos {
  constructor(private readonly deps: OlderVideosDeps) {}

  /**
   * Submits a video.
   * @throws AppError, UpstreamError
   */
  async create(incoming: IncomingRequest, client: Pick<ClientResponse, 'setHeader'>): Promise<Fields> {
    const { id, status } = await this.deps.videos.create(incoming, client, toSubmission);
    return { task_id: id, status };
  }

  /** @throws AppError */
  async one(incoming: IncomingRequest, id: string, origin: string): Promise<Fields> {
    return this.shown(await this.deps.videos.row(incoming, id), origin);
  }

  private shown(row: CreativeTask, origin: string): Fields {
    const { status, progress, error, model } = toVideoWire(row);
    const { seconds, size = '' } = row.properties;
    const [width, height] = size.split('x').map(Number);
    const path = this.deps.links.of(row);
    return {
      task_id: row.taskId,
      status,
      model,
      progress,
      ...(path === null ? {} : { url: origin + path, format: 'mp4' }),
      metadata: { duration: seconds, ...(width && height ? { width, height } : {}) },
      ...(error ? { error } : {}),
    };
  }
}

/**
 * Returns a submission in OpenAI's form. Fields of `metadata` count as fields of the request, which come first.
 * @throws RelayError invalid_video_request
 */
function toSubmission({ image, width, height, n, metadata, ...own }: Fields): Fields {
  const count = n ?? 1;
  if (count !== 1) throw invalidVideo('n must be 1');
  if ((width ?? height) !== undefined && (own['size'] ?? own['resolution']) !== undefined) {
    throw invalidVideo('size is given by width and height');
  }
  const extra = Object.entries(asFields(metadata) ?? {}).filter(([name]) => own[name] === undefined);
  const twice = extra.find(([name]) => submissionFields.has(name) && name !== 'aspect_ratio');
  if (twice) throw invalidVideo(`${twice[0]} must be a field of the request itself`);
  return {
    ...Object.fromEntries(extra),
    ...own,
    ...(image === undefined || image === null || image === '' ? {} : { input_reference: imageNamed(image) }),
    ...((width ?? height) === undefined ? {} : { size: `${String(width)}x${String(height)}` }),
  };
}

/** The first characters of images as base64. */
const magic = [
  ['/9j/', 'image/jpeg'],
  ['iVBOR', 'image/png'],
  ['UklGR', 'image/webp'],
  ['R0lGOD', 'image/gif'],
] as const;

/**
 * Reads an address, or an image as base64 with or without its type.
 * @throws RelayError invalid_video_request
 */
export function imageNamed(image: unknown): Fields {
  const text = someText(image);
  if (text === undefined) throw invalidVideo('image must be text');
  const type = magic.find(([begin]) => text.startsWith(begin))?.[1];
  return { image_url: type ? `data:${type};base64,${text}` : text };
}
