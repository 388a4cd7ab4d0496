import { json } from './replies.js';
import type { ReceivedRequest, Upstream } from './upstream.js';
import type { VideoProvider } from './videos.js';

const model = 'veo-3.1-fast-generate-001';
const place = `projects/proj-fake/locations/us-east5/publishers/google/models/${model}`;
const token = 'ya29.scripted';
const parameters = new Set([
  ...['aspectRatio', 'durationSeconds', 'enhancePrompt', 'generateAudio', 'negativePrompt', 'personGeneration'],
  ...['resolution', 'sampleCount', 'seed', 'storageUri'],
]);

/** Returns what Vertex AI says against a submission. */
function refusal({ body, headers }: ReceivedRequest): string | null {
  if (headers.host !== 'us-east5-aiplatform.googleapis.com') return `no such host: ${String(headers.host)}`;
  if (headers.authorization !== `Bearer ${token}`) return 'Request had invalid authentication credentials.';
  const given = (body?.['parameters'] ?? {}) as Record<string, unknown>;
  const unknown = Object.keys(given).find((name) => !parameters.has(name));
  if (unknown !== undefined) return `Unknown name "${unknown}" at 'parameters'`;
  if (typeof given['generateAudio'] !== 'boolean') return 'generateAudio is required for Veo 3 models';
  if (![4, 6, 8].includes(Number(given['durationSeconds']))) return 'durationSeconds must be 4, 6 or 8';
  return null;
}

const operation = (id: string, more: object = {}): object => ({ name: `${place}/operations/${id}`, ...more });
const response = (made: object): object => ({
  done: true,
  response: { '@type': 'type.googleapis.com/cloud.ai.large_models.vision.GenerateVideoResponse', ...made },
});

/**
 * Veo of Vertex AI, as cloud.google.com/vertex-ai/generative-ai/docs/model-reference/veo-video-generation describes it in
 * November 2026. Without a bucket in the request, the operation contains the video.
 */
export const vertexVideos = {
  type: 41,
  model,
  submissions: `/v1/${place}:predictLongRunning`,
  lookups: `/v1/${place}:fetchPredictOperation`,
  keyOf: ({ key }) => key,
  nameIn: ({ method, body }) =>
    method === 'POST' ? (String(body?.['operationName']).split('/operations/')[1] ?? '') : '',
  refuses: refusal,
  taken: (id) => operation(id),
  running: (id) => operation(id),
  done: (id, video) =>
    operation(id, response({ videos: [{ bytesBase64Encoded: encoded(video), mimeType: 'video/mp4' }] })),
  failed: (id, reason) => operation(id, response({ raiMediaFilteredCount: 1, raiMediaFilteredReasons: [reason] })),
} as const satisfies VideoProvider;

/** Other providers name the address of a video, which stands for its bytes here. */
const encoded = (video: string): string => Buffer.from(video, 'latin1').toString('base64');

/** Exchanges the assertion of a service account for a token. */
export const scriptGoogleTokens = (upstream: Upstream): void =>
  upstream.script({ path: '/token' }, json({ access_token: token, expires_in: 3600, token_type: 'Bearer' }));
