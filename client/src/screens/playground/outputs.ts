/** A part of a response that is no text. */
export type Output =
  | { readonly type: 'image' | 'audio' | 'video'; readonly url: string; readonly fileName: string }
  /** Documents of a reranking, or categories of a moderation. */
  | {
      readonly type: 'scores';
      readonly of: 'documents' | 'categories';
      readonly rows: ReadonlyArray<{ readonly name: string; readonly score: number; readonly isFlagged?: boolean }>;
    }
  | { readonly type: 'vector'; readonly dimensions: number; readonly values: readonly number[] };

type Json = Readonly<Record<string, unknown>>;

const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The first characters of images in base64. A response does not have to state the format. */
const formats: ReadonlyArray<readonly [start: string, format: string]> = [
  ['/9j/', 'jpeg'],
  ['UklGR', 'webp'],
];

export function imagesIn(body: unknown): Output[] {
  return list(object(body)['data']).flatMap((each, index): Output[] => {
    const { url, b64_json: base64 } = object(each);
    const format = formats.find(([start]) => text(base64).startsWith(start))?.[1] ?? 'png';
    const source = text(base64) === '' ? text(url) : `data:image/${format};base64,${text(base64)}`;
    return source === '' ? [] : [{ type: 'image', url: source, fileName: `image-${String(index + 1)}.${format}` }];
  });
}

/** Numbers of a vector that are shown. */
const maxValues = 8;

export function vectorsIn(body: unknown): Output[] {
  return list(object(body)['data']).map((each) => {
    const values = list(object(each)['embedding']).map(number);
    return { type: 'vector', dimensions: values.length, values: values.slice(0, maxValues) };
  });
}

/** @param documents as they were sent: most providers return their indexes only */
export function rankingIn(body: unknown, documents: readonly string[]): Output {
  const rows = list(object(body)['results']).map((each) => {
    const { index, relevance_score: score } = object(each);
    return { name: documents[number(index)] ?? String(number(index)), score: number(score) };
  });
  return { type: 'scores', of: 'documents', rows: rows.sort((a, b) => b.score - a.score) };
}

export function moderationIn(body: unknown): Output {
  const result = object(list(object(body)['results'])[0]);
  const categories = object(result['categories']);
  const rows = Object.entries(object(result['category_scores'])).map(([name, score]) => {
    return { name, score: number(score), isFlagged: categories[name] === true };
  });
  return { type: 'scores', of: 'categories', rows: rows.sort((a, b) => b.score - a.score) };
}

/** The text of a transcription or of a completion. */
export const textIn = (body: unknown): string =>
  text(object(body)['text']) || text(object(list(object(body)['choices'])[0])['text']);

export interface VideoState {
  readonly id: string;
  readonly status: string;
  readonly progress: number;
  readonly error: string;
}

export function videoIn(body: unknown): VideoState {
  const { id, status, progress, error } = object(body);
  return { id: text(id), status: text(status), progress: number(progress), error: text(object(error)['message']) };
}
