import { prefixes } from '../../server/src/services/endpoints.js';
import { googleObjectRoutes, objectRoutes } from '../../server/src/services/objects/object-routes.js';

/** The socket of Responses, as rows name it. */
export const socketPath = 'GET /v1/responses';

/**
 * The paths whose calls cost something, by the test that sends each of them hostile fields. Each of these tests has a row
 * for each of its paths.
 */
export const pricedPaths = {
  /** `priced-fields.test.ts` */
  texts: [
    '/v1/chat/completions',
    '/v1/completions',
    '/v1/responses',
    socketPath,
    '/v1/messages',
    '/v1beta/models/gemini-x:generateContent',
    '/v1beta/models/gemini-x:streamGenerateContent?alt=sse',
    '/v1beta/models/gpt-4o:generateContent',
    '/v1/models/gemini-x:generateContent',
    '/v1beta/google/gemini-x:generateContent',
    '/v1beta/interactions',
    '/v1/interactions',
    '/v1/fim/completions',
    '/openai/deployments/gpt-4o/chat/completions',
    '/openai/deployments/gpt-4o/completions',
    '/v1beta/openai/chat/completions',
    '/model/claude-x/invoke',
    '/model/claude-x/invoke-with-response-stream',
    '/model/claude-x/converse',
    '/model/claude-x/converse-stream',
    '/v1/projects/p/locations/l/publishers/anthropic/models/claude-x:rawPredict',
    '/v1beta1/projects/p/locations/l/publishers/anthropic/models/claude-x:rawPredict',
    '/v1/projects/p/locations/l/publishers/google/models/gemini-x:generateContent',
    '/v1beta1/projects/p/locations/l/publishers/google/models/gemini-x:generateContent',
    '/v1/responses/compact',
  ],
  /** `priced-fields.test.ts` */
  images: [
    '/v1/images/generations',
    '/v1/images/edits',
    '/openai/deployments/drawer/images/generations',
    '/openai/deployments/drawer/images/edits',
  ],
  /** `contract/relay-one-shot.test.ts`, with the fields of image edits. */
  variations: ['/v1/images/variations', '/openai/deployments/drawer/images/variations'],
  /** `priced-routes.test.ts` */
  others: [
    '/v1/responses',
    socketPath,
    '/v1/rerank',
    '/v2/rerank',
    '/v1/embeddings',
    '/v1/audio/speech',
    '/openai/deployments/tts-1/audio/speech',
    '/v1beta/models/painter:generateContent',
    '/v1/engines/embedder/embeddings',
    '/openai/deployments/embedder/embeddings',
    '/v1beta/models/embedder:embedContent',
    '/v1beta/models/embedder:batchEmbedContents',
    '/v1/moderations',
    '/v1/chat/completions',
    '/v1/messages',
  ],
  /** `priced-routes.test.ts` */
  recordings: [
    '/v1/audio/transcriptions',
    '/v1/audio/translations',
    '/openai/deployments/whisper-1/audio/transcriptions',
    '/openai/deployments/whisper-1/audio/translations',
  ],
  /** `priced-routes.test.ts` */
  tasks: ['/suno/submit/music', '/suno/submit/lyrics', '/v1/videos'],
  /** `priced-drawings.test.ts`. All of them exist under `/<mode>/mj`, too. */
  drawings: [
    '/mj/submit/imagine',
    '/mj/submit/describe',
    '/mj/submit/blend',
    '/mj/submit/shorten',
    '/mj/submit/modal',
    '/mj/submit/change',
    '/mj/submit/simple-change',
    '/mj/submit/action',
    '/mj/submit/upload-discord-images',
    '/mj/insight-face/swap',
  ],
  /** `priced-routes.test.ts` */
  playground: ['/pg/chat/completions'],
  /** The same endpoints as under `/v1`: `playground-kinds.test.ts` */
  playgroundKinds: [
    '/pg/completions',
    '/pg/embeddings',
    '/pg/moderations',
    '/pg/rerank',
    '/pg/images/generations',
    '/pg/audio/speech',
    '/pg/audio/transcriptions',
    '/pg/videos',
  ],
  /** `tests/contract/relay-batches.test.ts`. Each line is checked as a call of its own. */
  batches: ['/v1/batches', '/v1/messages/batches', '/v1beta/models/painter:batchGenerateContent'],
  /** `priced-videos.test.ts` */
  videos: [
    ...['/v1/videos', '/v1/videos/video_1/remix', '/v1/video/generations'],
    ...['/kling/v1/videos/text2video', '/kling/v1/videos/image2video'],
  ],
  /** `realtime-*.test.ts` */
  realtime: ['GET /v1/realtime'],
} as const;

/** Routes that cost nothing, whatever they are sent. */
const free: ReadonlySet<string> = new Set([
  // They count tokens.
  '/v1/messages/count_tokens',
  '/v1/responses/input_tokens',
  '/model/:model/count-tokens',
  // They read or end what was paid before.
  '/v1/responses/:id/cancel',
  '/v1/batches/:id/cancel',
  ...['/v1/batches/:id', '/v1beta/batches/:id'],
  '/v1beta/interactions/:id/cancel',
  '/v1/interactions/:id/cancel',
  '/v1/messages/batches/:id/cancel',
  '/v1/messages/batches/:id',
  '/suno/fetch',
  '/mj/task/list-by-condition',
  '/mj/notify/:channel/:secret',
  // Makers keep these without a charge, or the site allows them without one.
  ...objectRoutes.concat(googleObjectRoutes).map(({ route }) => route.slice(route.indexOf(' ') + 1)),
  ...['/v1/cachedContents', '/v1/cachedContents/:id', '/upload/v1/files'],
  // They make keys, whose sessions cost what others cost.
  ...['/v1/realtime/client_secrets', '/v1/realtime/sessions'],
  // They are not served.
  ...['/v1/edits', '/v1/fine-tunes', '/v1/fine-tunes/:id/cancel'],
  ...['/v1', '/v1beta', '/v1beta1', '/v1alpha', '/hf', '/openai', '/anthropic', '/model', '/upload', '/ws'].map(
    (api) => `${api}/*`,
  ),
]);

/** Returns the forms of a route under the first prefix and without a speed of drawings. */
const formsOf = (route: string): string[] => [
  route,
  ...prefixes.filter((prefix) => route.startsWith(`${prefix}/`)).map((prefix) => `/v1${route.slice(prefix.length)}`),
  route.replace(/^\/:mode\//, '/'),
];

const matcherOf = (route: string): RegExp =>
  new RegExp(`^${route.replace(/[.+?]/g, '\\$&').replace(/:\w+/g, '[^/]+').replace('*', '.+')}(?:\\?|$)`);

/** Returns the routes that neither are free nor have a row. */
export function withoutRow(routes: readonly string[]): string[] {
  const rows: readonly string[] = Object.values(pricedPaths).flat();
  return routes.filter((route) =>
    formsOf(route).every((form) => !free.has(form) && !rows.some((row) => matcherOf(form).test(row))),
  );
}

/** Returns a path under one of the prefixes of OpenAI's API, by its turn. */
export function underPrefix(path: string, turn: number): string {
  const isPrefixed = path.startsWith('/v1/') && !/^\/v1\/(?:projects|models|interactions)\b/.test(path);
  return isPrefixed ? `${prefixes[turn % prefixes.length] ?? ''}${path.slice('/v1'.length)}` : path;
}
