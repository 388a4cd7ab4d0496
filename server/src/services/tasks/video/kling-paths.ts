import type { CreativeTask, VideoLinks } from '../../../console/tasks/index.js';
import type { ClientResponse } from '../../../gateway/deliver/client-response.js';
import type { IncomingRequest } from '../../../gateway/request.js';
import { millisecondsIn } from '../../../shared/clock.js';
import type { Fields } from '../../../dialects/neutral/fields.js';
import { resolutionOfMode } from './kling.js';
import { imageNamed } from './older-videos.js';
import { toVideoWire } from './video-row.js';
import { invalidVideo } from './video-submission.js';
import type { Videos } from './videos.js';

interface KlingPathsDeps {
  readonly videos: Videos;
  readonly links: VideoLinks;
}

/** Videos in the form of Kling, at any provider of videos (docs/reference/relay/tasks.md#the-paths-of-kling). */
export class KlingPaths {
  constructor(private readonly deps: KlingPathsDeps) {}

  /**
   * Submits a video.
   * @throws AppError, UpstreamError
   */
  async create(
    incoming: IncomingRequest,
    client: Pick<ClientResponse, 'setHeader'>,
    kind: 'text2video' | 'image2video',
  ): Promise<Fields> {
    // Kling has no forms.
    const headers = { ...incoming.headers, 'content-type': 'application/json' };
    const made = await this.deps.videos.create({ ...incoming, headers }, client, (body) => toSubmission(body, kind));
    const at = millisecondsIn(Number(made['created_at']));
    return answerOf(incoming, made, { task_id: made['id'], task_status: 'submitted', created_at: at, updated_at: at });
  }

  /** @throws AppError */
  async one(incoming: IncomingRequest, id: string, origin: string): Promise<Fields> {
    const row = await this.deps.videos.row(incoming, id);
    return answerOf(incoming, toVideoWire(row), this.taskOf(row, origin));
  }

  private taskOf(row: CreativeTask, origin: string): Fields {
    const { status, error } = toVideoWire(row);
    const path = this.deps.links.of(row);
    const video = { id: row.taskId, url: `${origin}${path}`, duration: String(row.properties.seconds ?? '') };
    return {
      task_id: row.taskId,
      task_status: statuses[status] ?? 'submitted',
      task_status_msg: error?.message ?? '',
      created_at: row.submitTime.getTime(),
      updated_at: row.updatedAt.getTime(),
      ...(path === null ? {} : { task_result: { videos: [video] } }),
    };
  }
}

const statuses: Readonly<Record<string, string>> = {
  in_progress: 'processing',
  completed: 'succeed',
  failed: 'failed',
};

/** `task_id` and `status` are beside Kling's fields for clients of older gateways. */
const answerOf = ({ requestId }: IncomingRequest, { id, status }: Fields, data: Fields): Fields => ({
  code: 0,
  message: 'SUCCEED',
  request_id: requestId,
  task_id: id,
  status,
  data,
});

/**
 * Returns a submission in OpenAI's form.
 * @throws RelayError invalid_video_request
 */
function toSubmission(given: Fields, kind: 'text2video' | 'image2video'): Fields {
  const { model_name: name, model, image, mode, sound, ...own } = given;
  const other = ['seconds', 'size', 'resolution', 'input_reference', 'generate_audio'].find((field) => field in own);
  if (other !== undefined) throw invalidVideo(`${other} is no field of Kling`);
  if (kind === 'image2video' && !image) throw invalidVideo('image is required');
  if (kind === 'text2video' && image) throw invalidVideo('image is for /image2video');
  const resolution = resolutionOfMode(mode);
  if (sound && sound !== 'on' && sound !== 'off') throw invalidVideo('sound must be on or off');
  return {
    ...own,
    model: name ?? model ?? 'kling-v1',
    ...(image ? { input_reference: imageNamed(image) } : {}),
    ...(resolution ? { resolution } : {}),
    ...(sound ? { generate_audio: sound === 'on' } : {}),
  };
}
