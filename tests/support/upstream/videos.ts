import { createHmac } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { json } from './replies.js';
import type { ReceivedRequest, Reply, Upstream } from './upstream.js';

/** A provider's side of one dialect of videos. */
export interface VideoProvider {
  /** Channel type. */
  readonly type: number;
  readonly model: string;
  /** The path to which videos are submitted. */
  readonly submissions: string;
  /** The path at which a video is looked up, before its name. */
  readonly lookups: string;
  /** The response to a submission. */
  taken(name: string): object;
  running(name: string): object;
  done(name: string, url: string): object;
  failed(name: string, reason: string): object;
  /** The reason for which the provider refuses a submission. */
  refuses?(request: ReceivedRequest): string | null;
  /** A refusal that has status 200. */
  refusal?(reason: string): object;
  /** The channel's key of a request. */
  keyOf(request: ReceivedRequest): unknown;
}

/** The secret of the channel's key, by which its tokens are signed: `AccessKey|SecretKey`. */
export const klingSecret = 'a-secret-of-kling';

const decoded = (part: string | undefined): Record<string, unknown> =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as Record<string, unknown>;

/** The access key of a request, with its secret if that signed a token that is valid now. */
function klingKeyOf({ headers }: ReceivedRequest): string {
  const [head, claims, signature] = (headers.authorization ?? '').replace('Bearer ', '').split('.');
  const { iss, exp, nbf } = decoded(claims);
  const seconds = Date.now() / 1000;
  const isNow = Number(nbf) < seconds && seconds < Number(exp) && Number(exp) <= seconds + 1801;
  const isSigned = createHmac('sha256', klingSecret).update(`${head}.${claims}`).digest('base64url') === signature;
  const isJwt = isDeepStrictEqual(decoded(head), { alg: 'HS256', typ: 'JWT' });
  return isNow && isSigned && isJwt ? `${String(iss)}|${klingSecret}` : `${String(iss)}|unsigned`;
}

const klingTask = (data: object): object => ({ code: 0, message: 'SUCCEED', request_id: 'r', data });

/** Returns what Kling says against a submission. */
function klingRefusal({ body, path }: ReceivedRequest): string | null {
  const { model_name: model = '', duration, mode, sound, aspect_ratio: ratio, image } = body ?? {};
  const name = String(model);
  const isThird = name.startsWith('kling-v3');
  const lengths = isThird ? range(3, 15) : ['5', '10'];
  if (typeof duration !== 'string' || !lengths.includes(duration)) return 'duration is not supported';
  const modes: readonly unknown[] = name.endsWith('-master')
    ? [undefined]
    : isThird
      ? ['std', 'pro', '4k']
      : ['std', 'pro'];
  if (!modes.includes(mode)) return 'mode is not supported by this model';
  const hasSound = isThird || name === 'kling-v2-6';
  if (sound !== undefined && !hasSound) return 'sound is not supported by this model';
  if (sound === 'on' && !isThird && mode !== 'pro') return 'sound is not supported in this mode';
  const isText = path.endsWith('/text2video');
  if (isText && !['16:9', '9:16', '1:1'].includes(String(ratio))) return 'aspect_ratio is invalid';
  if (!isText && (typeof image !== 'string' || image.startsWith('data:'))) return 'image is invalid';
  return null;
}

/** Returns what MiniMax says against a submission of H3. */
function h3Refusal({ body }: ReceivedRequest): string | null {
  const { duration, resolution, ratio, content } = body ?? {};
  const parts = (content ?? []) as ReadonlyArray<{ type: string; text?: string }>;
  if (!Number.isInteger(duration) || Number(duration) < 4 || Number(duration) > 15) return 'invalid params, duration';
  if (resolution !== '768P' && resolution !== '2K') return 'invalid params, resolution';
  if (!parts.some(({ type, text }) => type === 'text' && text)) return 'invalid params, content';
  const isText = parts.every(({ type }) => type === 'text');
  const ratios = ['21:9', '16:9', '4:3', '1:1', '3:4', '9:16', ...(isText ? [] : ['adaptive'])];
  return ratios.includes(String(ratio)) ? null : 'invalid params, ratio';
}

/** Returns what MiniMax says against a submission of Hailuo 2.3. */
export function hailuoRefusal({ body }: ReceivedRequest): string | null {
  const { model, duration, resolution, first_frame_image: image } = body ?? {};
  if (duration !== 6 && duration !== 10) return 'invalid params, duration';
  if (resolution !== '768P' && resolution !== '1080P') return 'invalid params, resolution';
  if (duration === 10 && resolution === '1080P') return 'invalid params, 1080P has 6 seconds';
  return model === 'MiniMax-Hailuo-2.3-Fast' && image === undefined ? 'invalid params, first_frame_image' : null;
}

const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => String(from + at));

const bearer = ({ key }: ReceivedRequest): unknown => key;

/** The providers in the form of their documentation. */
export const videoProviders = {
  openai: {
    type: 60,
    model: 'sora-2',
    submissions: '/v1/videos',
    lookups: '/v1/videos/',
    keyOf: bearer,
    taken: (id) => ({
      id,
      object: 'video',
      status: 'queued',
      progress: 0,
      model: 'sora-2',
      seconds: '8',
      size: '1280x720',
    }),
    running: (id) => ({ id, object: 'video', status: 'in_progress', progress: 45, error: null }),
    done: (id) => ({ id, object: 'video', status: 'completed', progress: 100, error: null }),
    failed: (id, message) => ({
      id,
      object: 'video',
      status: 'failed',
      error: { code: 'moderation_blocked', message },
    }),
  },
  veo: {
    type: 24,
    model: 'veo-3.1-generate-001',
    submissions: '/v1beta/models/veo',
    lookups: '/v1beta/models/veo-3.1-generate-001/operations/',
    keyOf: ({ headers }) => headers['x-goog-api-key'],
    taken: (id) => ({ name: `models/veo-3.1-generate-001/operations/${id}` }),
    running: (id) => ({ name: `models/veo-3.1-generate-001/operations/${id}` }),
    done: (id) => ({
      name: `models/veo-3.1-generate-001/operations/${id}`,
      done: true,
      response: {
        generateVideoResponse: {
          generatedSamples: [
            { video: { uri: 'https://generativelanguage.googleapis.com/v1beta/files/f1:download?alt=media' } },
          ],
        },
      },
    }),
    failed: (id, reason) => ({
      name: `models/veo-3.1-generate-001/operations/${id}`,
      done: true,
      response: { generateVideoResponse: { raiMediaFilteredCount: 1, raiMediaFilteredReasons: [reason] } },
    }),
  },
  xai: {
    type: 48,
    model: 'grok-imagine-video',
    submissions: '/v1/videos/generations',
    lookups: '/v1/videos/',
    keyOf: bearer,
    taken: (id) => ({ request_id: id }),
    running: () => ({ status: 'pending' }),
    done: (_id, url) => ({
      status: 'done',
      model: 'grok-imagine-video',
      video: { url, duration: 8, respect_moderation: true },
    }),
    failed: (_id, message) => ({ status: 'failed', error: { code: 'invalid_argument', message } }),
  },
  ark: {
    type: 45,
    model: 'doubao-seedance-2-0-260128',
    keyOf: bearer,
    submissions: '/api/v3/contents/generations/tasks',
    lookups: '/api/v3/contents/generations/tasks/',
    taken: (id) => ({ id }),
    running: (id) => ({ id, model: 'doubao-seedance-2-0-260128', status: 'running' }),
    done: (id, url) => ({
      id,
      status: 'succeeded',
      content: { video_url: url },
      usage: { completion_tokens: 108_900 },
    }),
    failed: (id, message) => ({
      id,
      status: 'failed',
      error: { code: 'OutputVideoSensitiveContentDetected', message },
    }),
  },
  wan: {
    type: 17,
    model: 'wan2.7-t2v',
    keyOf: bearer,
    lookups: '/api/v1/tasks/',
    submissions: '/api/v1/services/aigc/video-generation/video-synthesis',
    taken: (id) => ({ output: { task_id: id, task_status: 'PENDING' }, request_id: 'r' }),
    running: (id) => ({ output: { task_id: id, task_status: 'RUNNING' }, request_id: 'r' }),
    done: (id, url) => ({
      output: { task_id: id, task_status: 'SUCCEEDED', video_url: url },
      usage: { duration: 8, video_count: 1, SR: 720 },
    }),
    failed: (id, message) => ({
      output: { task_id: id, task_status: 'FAILED', code: 'DataInspectionFailed', message },
    }),
  },
  cogvideo: {
    type: 26,
    model: 'cogvideox-3',
    keyOf: bearer,
    submissions: '/api/paas/v4/videos/generations',
    lookups: '/api/paas/v4/async-result/',
    taken: (id) => ({ id, request_id: 'r', model: 'cogvideox-3', task_status: 'PROCESSING' }),
    running: (id) => ({ id, task_status: 'PROCESSING' }),
    done: (id, url) => ({ id, task_status: 'SUCCESS', video_result: [{ url, cover_image_url: url }] }),
    failed: (id, message) => ({ id, task_status: 'FAIL', error: { code: '1301', message } }),
  },
  kling: {
    type: 50,
    model: 'kling-v3',
    submissions: '/v1/videos/',
    lookups: '/v1/videos/text2video/',
    keyOf: klingKeyOf,
    refuses: klingRefusal,
    taken: (id) => klingTask({ task_id: id, task_status: 'submitted' }),
    running: (id) => klingTask({ task_id: id, task_status: 'processing' }),
    done: (id, url) =>
      klingTask({
        task_id: id,
        task_status: 'succeed',
        task_result: { videos: [{ id: 'v1', url, duration: '8.041' }] },
      }),
    failed: (id, message) => klingTask({ task_id: id, task_status: 'failed', task_status_msg: message }),
  },
  minimax: {
    type: 35,
    model: 'MiniMax-H3',
    keyOf: bearer,
    submissions: '/v2/video_generation',
    lookups: '/v2/query/video_generation/',
    refuses: h3Refusal,
    refusal: (message) => ({ base_resp: { status_code: 2013, status_msg: message } }),
    taken: (id) => ({ task_id: id }),
    running: (id) => ({ task: { task_id: id, model: 'MiniMax-H3', status: 'running' } }),
    done: (id, url) => ({
      task: {
        task_id: id,
        model: 'MiniMax-H3',
        status: 'succeeded',
        content: { url },
        duration: 8,
        resolution: '768P',
      },
    }),
    failed: (id, message) => ({ task: { task_id: id, status: 'failed', error: { code: '1026', message } } }),
  },
} as const satisfies Readonly<Record<string, VideoProvider>>;

export const movie = Buffer.from('\0\0\0\x18ftypmp42 the bytes of a video '.repeat(2000));

function counter(prefix: string): () => string {
  let count = 0;
  return () => `${prefix}-${++count}`;
}

/**
 * Turns an upstream into a provider that accepts every submission, and reports what `states` has; other videos are running.
 * @param nextName by default `job-1` and so on
 */
export function scriptVideos(
  upstream: Upstream,
  provider: VideoProvider,
  states: ReadonlyMap<string, object>,
  nextName = counter('job'),
): void {
  const report: Reply = (response, request) => {
    const name = decodeURIComponent(request.path.slice(provider.lookups.length).split('?', 1)[0] ?? '');
    return json(states.get(name) ?? provider.running(name))(response, request);
  };
  const take: Reply = (response, request) => {
    const reason = provider.refuses?.(request) ?? null;
    if (reason === null) return json(provider.taken(nextName()))(response, request);
    const refused = provider.refusal ? json(provider.refusal(reason)) : json({ code: 1201, message: reason }, 400);
    return refused(response, request);
  };
  for (const path of [provider.submissions, provider.lookups]) {
    upstream.script({ path }, (response, request) =>
      request.method === 'POST' ? take(response, request) : report(response, request),
    );
  }
}
