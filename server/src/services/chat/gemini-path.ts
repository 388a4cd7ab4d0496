import { RelayError } from '../../dialects/errors/relay-error.js';
import type { IncomingRequest } from '../../gateway/request.js';

/** A parsed Gemini path. */
export interface GeminiPath {
  readonly model: string;
  /** The method, such as `generateContent` or `embedContent`. */
  readonly method: string;
  readonly stream: boolean;
  /** Whether the client wants a stream as one JSON list, because it did not ask for events. */
  readonly jsonList: boolean;
}

/** `models/` is missing before a vendor's name, and Vertex AI has a project before it. */
const modelPath =
  /^\/v1(?:beta1?|alpha)?\/(?:projects\/[^/]+\/locations\/[^/]+\/publishers\/google\/models\/|models\/)?(.+):([A-Za-z]+)$/;

/**
 * Reads the model and method in a Google path.
 * @throws RelayError invalid_request
 * @param call its path, aliases resolved, otherwise as received
 */
export function geminiCallOf({ path, query }: Pick<IncomingRequest, 'path' | 'query'>): GeminiPath {
  const [, encoded = '', method = ''] = modelPath.exec(path) ?? [];
  const model = decoded(encoded);
  if (model === '' || model.length > 256) {
    throw new RelayError('INVALID_INPUT', 'Invalid request, the path contains no model', 'invalid_request');
  }
  return { model, method, stream: method === streaming, jsonList: wantsJsonList({ path, query }) };
}

/** Returns the method alone; null for a path that names no model and method. */
export const geminiMethodOf = ({ path }: Pick<IncomingRequest, 'path'>): string | null =>
  modelPath.exec(path)?.[2] ?? null;

const streaming = 'streamGenerateContent';

/** Whether a streaming client did not ask for events (`alt=sse`). */
export const wantsJsonList = ({ path, query }: Pick<IncomingRequest, 'path' | 'query'>): boolean =>
  path.endsWith(`:${streaming}`) && new URLSearchParams(query).get('alt') !== 'sse';

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
