import type { OpenedBody } from '../gateway/request.js';

/*
 * Media are priced before they are generated, by fields of the request. An unknown field could request more than is
 * priced, by a name that only its provider knows, so it is removed. So are the steps of an image: some providers bill
 * each of them.
 */

export const imageFields: ReadonlySet<string> = new Set([
  ...[
    'model',
    'prompt',
    'n',
    'num_images',
    'batch_size',
    'size',
    'image_size',
    'aspect_ratio',
    'quality',
    'style',
    'user',
  ],
  ...['sequential_image_generation', 'sequential_image_generation_options', 'response_format', 'output_format'],
  ...[
    'output_compression',
    'background',
    'moderation',
    'stream',
    'partial_images',
    'input_fidelity',
    'image',
    'images',
  ],
  ...[
    'image2',
    'image3',
    'image_url',
    'mask',
    'mask_url',
    'seed',
    'negative_prompt',
    'guidance_scale',
    'strength',
    'cfg',
  ],
  ...['watermark', 'prompt_extend', 'prompt_optimizer', 'optimize_prompt_options', 'safety_identifier'],
]);

export const speechFields: ReadonlySet<string> = new Set([
  ...[
    'model',
    'input',
    'voice',
    'instructions',
    'response_format',
    'speed',
    'stream_format',
    'stream',
    'language',
    'user',
  ],
  ...['sample_rate', 'seed', 'gain', 'emotion', 'volume', 'vol', 'pitch', 'temperature', 'top_p', 'references'],
  ...['voice_setting', 'audio_setting', 'language_boost'],
]);

export const transcriptionFields: ReadonlySet<string> = new Set([
  ...['model', 'file', 'language', 'prompt', 'response_format', 'temperature', 'timestamp_granularities', 'include'],
  ...['stream', 'chunking_strategy', 'known_speaker_names', 'known_speaker_references', 'diarize', 'hotwords', 'user'],
]);

/** Images, recordings and ids of end users in requests for media. They are not searched for texts. */
export const unsearchedMedia: ReadonlySet<string> = new Set([
  ...['image', 'image[]', 'images', 'image2', 'image3', 'mask', 'mask_url', 'image_tail', 'audio'],
  ...['input_reference', 'input_reference[image_url]', 'input_reference[file_id]'],
  ...['known_speaker_references', 'known_speaker_references[]', 'file_id', 'user', 'safety_identifier'],
]);

const maxNames = 20;

/** Returns the name without an index. Form fields may be lists, as `image[]` and `image[0]`. */
const bareName = (name: string): string => name.replace(/\[\d*\]$/, '');

/** The body without unknown fields; the same object if there are none. */
export function withKnownFields(opened: OpenedBody, known: ReadonlySet<string>): OpenedBody {
  const { body, form } = opened;
  const isKnown = (name: string): boolean => known.has(form ? bareName(name) : name);
  const names = form ? form.map(({ name }) => name) : Object.keys(body);
  const unknown = new Set(names.filter((name) => !isKnown(name)));
  if (unknown.size === 0) return opened;
  const kept = Object.fromEntries(Object.entries(body).filter(([name]) => !unknown.has(name)));
  const dropped = [...unknown].slice(0, maxNames).map((name) => name.slice(0, 100));
  return { ...opened, body: kept, dropped, ...(form ? { form: form.filter(({ name }) => isKnown(name)) } : {}) };
}
