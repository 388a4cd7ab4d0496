import { json } from './replies.js';
import type { ReceivedRequest, Reply, Upstream } from './upstream.js';
import { h3Refusal, jimengKeyOf, jimengRefusal, klingKeyOf, klingRefusal, viduRefusal } from './video-refusals.js';

/** A provider's side of one dialect of videos. */
export interface VideoProvider {
  /** Channel type. */
  readonly type: number;
  readonly model: string;
  /** The path to which videos are submitted. */
  readonly submissions: string;
  /** The path at which a video is looked up, before its name. */
  readonly lookups: string;
  /** The length that tests ask for; absent: 8 seconds. */
  readonly seconds?: number;
  /** Returns the name in a lookup; absent: it is the rest of the path. */
  nameIn?(request: ReceivedRequest): string;
  /** Returns the status with which a state is reported; absent: always 200. */
  statusOf?(state: object): number;
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

/** Whether a request submits a video to this provider. Lookups may have the same method. */
export const isSubmission = (
  { lookups, nameIn }: Pick<VideoProvider, 'lookups' | 'nameIn'>,
  { method, path }: ReceivedRequest,
): boolean => method === 'POST' && !(nameIn && path.startsWith(lookups));

const klingTask = (data: object): object => ({ code: 0, message: 'SUCCEED', request_id: 'r', data });

const jimengAnswer = (data: object): object => ({
  code: 10000,
  data,
  message: 'Success',
  request_id: 'r',
  status: 10000,
});

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
  jimeng: {
    type: 51,
    model: 'jimeng_v30',
    seconds: 10,
    submissions: '/?Action=CVSync2AsyncSubmitTask',
    lookups: '/?Action=CVSync2AsyncGetResult',
    keyOf: jimengKeyOf,
    nameIn: ({ body }) => String(body?.['task_id']),
    refuses: jimengRefusal,
    taken: (id) => jimengAnswer({ task_id: id }),
    running: () => jimengAnswer({ status: 'generating', video_url: '' }),
    done: (_id, url) => jimengAnswer({ status: 'done', video_url: url, aigc_meta_tagged: true }),
    failed: (_id, message) => ({ code: 50516, data: null, message, request_id: 'r', status: 50516 }),
    statusOf: (state) => ('code' in state && state.code === 10000 ? 200 : 400),
  },
  vidu: {
    type: 52,
    model: 'viduq3-pro',
    submissions: '/ent/v2/',
    lookups: '/ent/v2/tasks/',
    keyOf: ({ headers }) => headers.authorization?.replace('Token ', ''),
    refuses: viduRefusal,
    taken: (id) => ({ task_id: id, state: 'created', model: 'viduq3-pro', credits: 240 }),
    running: () => ({ state: 'processing', err_code: '', creations: [] }),
    done: (_id, url) => ({
      state: 'success',
      err_code: '',
      credits: 240,
      creations: [{ id: 'c1', url, cover_url: url }],
    }),
    failed: (_id, message) => ({ state: 'failed', err_code: message, creations: [] }),
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
 * @param before runs before the response to a submission
 */
export function scriptVideos(
  upstream: Upstream,
  provider: VideoProvider,
  states: ReadonlyMap<string, object>,
  nextName = counter('job'),
  before: () => Promise<void> = () => Promise.resolve(),
): void {
  const report: Reply = (response, request) => {
    const rest =
      request.path
        .slice(provider.lookups.length)
        .split('?', 1)[0]
        ?.replace(/\/creations$/, '') ?? '';
    const name = provider.nameIn?.(request) ?? decodeURIComponent(rest);
    const state = states.get(name) ?? provider.running(name);
    return json(state, provider.statusOf?.(state))(response, request);
  };
  const take: Reply = async (response, request) => {
    await before();
    const reason = provider.refuses?.(request) ?? null;
    if (reason === null) return json(provider.taken(nextName()))(response, request);
    const refused = provider.refusal ? json(provider.refusal(reason)) : json({ code: 1201, message: reason }, 400);
    return refused(response, request);
  };
  for (const path of [provider.submissions, provider.lookups]) {
    upstream.script({ path }, (response, request) =>
      isSubmission(provider, request) ? take(response, request) : report(response, request),
    );
  }
}
