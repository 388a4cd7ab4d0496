import type { ApiRequest } from '../calls.js';

/** A request with the address and the key that a program uses. */
export interface CodeInput extends ApiRequest {
  /** The base URL with `/v1`. */
  readonly baseUrl: string;
  readonly key: string;
}

/** How a program uses the response. */
export type ResponseUse = 'stream' | 'json' | 'speech' | 'images' | 'video';

export function responseUse({ path, body }: Pick<CodeInput, 'path' | 'body'>): ResponseUse {
  if (body['stream'] === true) return 'stream';
  if (path === '/audio/speech') return 'speech';
  if (path === '/images/generations') return 'images';
  return path === '/videos' ? 'video' : 'json';
}

/** The name of the file in examples. */
export const recordingName = 'recording.mp3';

export const speechName = ({ body }: Pick<CodeInput, 'body'>): string =>
  `speech.${typeof body['response_format'] === 'string' ? body['response_format'] : 'mp3'}`;

export const indent = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);

/** The text fields of a form. */
export const formFields = ({ body }: Pick<CodeInput, 'body'>): Array<readonly [name: string, value: string]> =>
  Object.entries(body).map(([name, value]) => [name, String(value)]);

/** Methods of OpenAI's SDK. Reranking has none. */
export const sdkMethods: Readonly<Record<string, string>> = {
  '/chat/completions': 'chat.completions.create',
  '/completions': 'completions.create',
  '/embeddings': 'embeddings.create',
  '/moderations': 'moderations.create',
  '/images/generations': 'images.generate',
  '/audio/speech': 'audio.speech.create',
  '/audio/transcriptions': 'audio.transcriptions.create',
  '/videos': 'videos.create',
};
