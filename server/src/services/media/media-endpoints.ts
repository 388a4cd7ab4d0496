import { InvalidInputError } from '../../shared/errors.js';
import { transcriptionTokens } from '../../billing/prices/index.js';
import type { Adapter, FormFile, FormPart, OneShotAnswer, OneShotCapability } from '../../dialects/contract.js';
import { attemptOnce, type OneShotEndpoint } from '../../gateway/send/attempt-once.js';
import type { Endpoint } from '../../gateway/endpoint.js';
import { audioDuration } from '../../gateway/reserve/metering/audio-duration.js';
import { textsOf } from '../../gateway/admit/guardrails/guarded-input.js';
import { countTexts } from '../../gateway/reserve/metering/prompt-tokens.js';
import { asText, parseFields, type Fields } from '../../dialects/neutral/fields.js';
import { readImageFields } from '../../dialects/priced-image-fields.js';
import {
  needFields,
  needList,
  needName,
  optionalFlag,
  optionalNumber,
  optionalText,
  spelledFlag,
} from '../../dialects/neutral/given.js';
import { parseJsonBody } from '../../dialects/wire/forms/json-body.js';
import { readForm, textFields } from '../../dialects/wire/forms/multipart.js';
import type { IncomingRequest, OpenedBody, ParsedRequest } from '../../gateway/request.js';
import { imageTariff, speechTariff, transcriptionTariff } from '../../gateway/reserve/tariffs/other-tariffs.js';
import { modelOf, openAIErrors } from '../chat/chat-endpoints.js';
import { imageFields, speechFields, transcriptionFields, unsearchedMedia, withKnownFields } from '../known-fields.js';
import { needInput, withCode } from '../refusals.js';

const imageCode = 'invalid_image_request';
const audioCode = 'invalid_audio_request';

function openForm(rawBody: Buffer, { headers }: IncomingRequest, defaultModel: string): OpenedBody {
  const form = readForm(rawBody, headers['content-type'] ?? '').map(withPlainFlag);
  const body = textFields(form);
  return { body, form, model: body['model'] ? modelOf(body) : defaultModel };
}

/** Writes the choice of a stream in the one spelling that all providers read, so that what is sent is what is priced. */
function withPlainFlag(part: FormPart): FormPart {
  if (part.name !== 'stream' || typeof part.value !== 'string') return part;
  const flag = spelledFlag(part.value);
  if (flag === null) throw new InvalidInputError('stream must be true or false', 'stream');
  return { ...part, value: String(flag) };
}

const oneShot =
  (
    name: string,
    pick: (adapter: Adapter) => OneShotCapability | undefined,
    transcript?: OneShotEndpoint['transcript'],
  ): Endpoint['attempt'] =>
  (attempt, client) =>
    attemptOnce(attempt, { name, pick, forwards: true, ...(transcript ? { transcript } : {}) }, client);

/** The transcribed text of a JSON or plain-text response. */
const transcriptOf = ({ contentType, body }: OneShotAnswer): string =>
  contentType.includes('json') ? asText(parseFields(body.toString('utf8'))?.['text']) : body.toString('utf8');

/** Reads the images that a request with a prompt asks for. */
function drawingOf(opened: OpenedBody): NonNullable<ParsedRequest['images']> {
  needInput(opened.body['prompt'], 'prompt', 'prompt is required');
  return orderOf(opened);
}

/**
 * Reads the requested images, and checks them against the limits of the oldest models
 * (docs/reference/relay/billing.md#images).
 */
function orderOf({ body, model, form }: OpenedBody): NonNullable<ParsedRequest['images']> {
  const images = readImageFields(body, form !== undefined);
  const allowed = sizes.get(model);
  if (allowed && !allowed.includes(images.size)) {
    const name = body['size'] ? 'size' : 'image_size';
    throw new InvalidInputError(`${name} must be one of ${allowed.join(', ')} for ${model}`, name);
  }
  return images;
}

const squares = ['256x256', '512x512', '1024x1024'];
const sizes: ReadonlyMap<string, readonly string[]> = new Map([
  ['dall-e', squares],
  ['dall-e-2', squares],
  ['dall-e-3', ['1024x1024', '1024x1792', '1792x1024']],
]);

/** Providers may give any text to a model, so all of them are searched. */
const searched: Pick<Endpoint, 'texts' | 'unsearched'> = {
  texts: (body, form) => textsOf({ body, form }, unsearchedMedia),
  unsearched: unsearchedMedia,
};

const drawing = { stream: false, wantsUsage: false, maxOutput: 0 } as const;

/** POST /v1/images/generations */
export const imagesEndpoint: Endpoint = {
  route: 'images',
  operation: 'images',
  tariff: imageTariff,
  errors: () => openAIErrors,
  open: (rawBody) =>
    withCode(imageCode, () => {
      const body = parseJsonBody(rawBody);
      const model = body['model'] ? modelOf(body) : 'dall-e';
      return withKnownFields({ body, model }, imageFields);
    }),
  parse: (opened) =>
    withCode(imageCode, () => {
      const { body, model } = opened;
      const stream = optionalFlag(body['stream'], 'stream') ?? false;
      return { ...drawing, stream, body, model, images: drawingOf(opened) };
    }),
  ...searched,
  attempt: oneShot('images', (adapter) => adapter.images),
};

/** POST /v1/images/edits, a multipart form, or JSON that refers to the images by URL or file */
export const imageEditsEndpoint: Endpoint = {
  ...imagesEndpoint,
  route: 'image_edits',
  operation: 'image_edits',
  names: 'imageEdits',
  open: (rawBody, incoming) =>
    withCode(imageCode, () => {
      if (!isJson(incoming)) return withKnownFields(openForm(rawBody, incoming, 'dall-e-2'), imageFields);
      const body = parseJsonBody(rawBody);
      const model = body['model'] ? modelOf(body) : 'dall-e-2';
      return withKnownFields({ body, model }, imageFields);
    }),
  parse: (opened) =>
    withCode(imageCode, () => {
      const { body, model, form } = opened;
      if (!form) {
        checkImages(body);
        const stream = optionalFlag(body['stream'], 'stream') ?? false;
        return { ...drawing, stream, body, model, images: drawingOf(opened) };
      }
      if (imagesOf(form).length === 0) throw new InvalidInputError('image is required', 'image');
      return { ...drawing, stream: body['stream'] === 'true', body, model, form, images: drawingOf(opened) };
    }),
  attempt: oneShot('image edits', (adapter) => adapter.imageEdits),
};

/** Returns the images of a form. */
const imagesOf = (form: readonly FormPart[]): FormPart[] =>
  form.filter(({ name, value }) => /^image(?:\[\d*\])?$/.test(name) && typeof value !== 'string');

/** POST /v1/images/variations, a multipart form of one image */
export const imageVariationsEndpoint: Endpoint = {
  ...imagesEndpoint,
  route: 'image_variations',
  operation: 'image_variations',
  open: (rawBody, incoming) =>
    withCode(imageCode, () => withKnownFields(openForm(rawBody, incoming, 'dall-e-2'), imageFields)),
  parse: (opened) =>
    withCode(imageCode, () => {
      const { body, model, form = [] } = opened;
      if (imagesOf(form).length !== 1) throw new InvalidInputError('one image is required', 'image');
      return { ...drawing, stream: body['stream'] === 'true', body, model, form, images: orderOf(opened) };
    }),
  attempt: oneShot('image variations', (adapter) => adapter.imageVariations),
};

const isJson = ({ headers }: IncomingRequest): boolean =>
  /^application\/(?:[\w.-]+\+)?json\b/i.test(headers['content-type'] ?? '');

/** @throws InvalidInputError unless the images, and the mask, each have one source */
function checkImages(body: Fields): void {
  const images = needList(body['images'] ?? [], 'images');
  if (images.length === 0) throw new InvalidInputError('images is required', 'images');
  images.forEach((image, index) => checkImage(image, `images[${index}]`));
  if (body['mask'] !== undefined && body['mask'] !== null) checkImage(body['mask'], 'mask');
}

function checkImage(value: unknown, field: string): void {
  const image = needFields(value, field);
  const sources = ['image_url', 'file_id'].filter((name) => image[name] !== undefined && image[name] !== null);
  const [source] = sources;
  if (source === undefined || sources.length > 1) {
    throw new InvalidInputError(`${field} must have either image_url or file_id`, field);
  }
  needName(image[source], `${field}.${source}`);
}

/** The price of speech grows without limit as its speed falls. OpenAI accepts no speed below 0.25. */
const leastSpeed = 0.1;

/** POST /v1/audio/speech */
export const speechEndpoint: Endpoint = {
  route: 'speech',
  operation: 'speech',
  tariff: speechTariff,
  errors: () => openAIErrors,
  open: (rawBody) =>
    withCode(audioCode, () => {
      const body = parseJsonBody(rawBody);
      const model = body['model'] ? modelOf(body) : 'tts-1';
      return withKnownFields({ body, model }, speechFields);
    }),
  parse: ({ body, model }) =>
    withCode(audioCode, () => {
      needInput(body['input'], 'input');
      if (typeof body['input'] !== 'string') throw new InvalidInputError('input must be text', 'input');
      optionalText(body['instructions'], 'instructions');
      const speed = optionalNumber(body['speed'], 'speed');
      if (speed !== undefined && speed < leastSpeed)
        throw new InvalidInputError(`speed must be at least ${leastSpeed}`, 'speed');
      return { ...drawing, body, model };
    }),
  async measure(call, bareModel) {
    const input = asText(call.body['input']);
    // The price is per character, or per token for models that count tokens. Only these read the instructions.
    if (bareModel.startsWith('tts')) return [...input].length;
    return countTexts([input, asText(call.body['instructions'])], bareModel, 0);
  },
  ...searched,
  attempt: oneShot('speech', (adapter) => adapter.speech),
};

const fileOf = (form: ParsedRequest['form']): FormFile | null => {
  const value = form?.find(({ name }) => name === 'file')?.value;
  return value === undefined || typeof value === 'string' ? null : value;
};

/** POST /v1/audio/transcriptions, a multipart form */
export const transcriptionEndpoint: Endpoint = {
  route: 'transcription',
  operation: 'transcription',
  tariff: transcriptionTariff,
  errors: () => openAIErrors,
  open: (rawBody, incoming) =>
    withCode(audioCode, () => withKnownFields(openForm(rawBody, incoming, 'whisper-1'), transcriptionFields)),
  parse: ({ body, model, form }) =>
    withCode(audioCode, () => {
      if (!fileOf(form)) throw new InvalidInputError('file is required', 'file');
      return { ...drawing, stream: body['stream'] === 'true', body, model, form };
    }),
  async measure({ form }) {
    const file = fileOf(form);
    if (!file) return 0;
    const seconds = await audioDuration(file.bytes).catch((error: unknown) =>
      withCode(audioCode, () => {
        throw error;
      }),
    );
    return transcriptionTokens(seconds);
  },
  ...searched,
  attempt: oneShot('transcription', (adapter) => adapter.transcription, transcriptOf),
};

/** POST /v1/audio/translations, a multipart form */
export const translationEndpoint: Endpoint = {
  ...transcriptionEndpoint,
  route: 'translation',
  operation: 'translation',
  attempt: oneShot('translation', (adapter) => adapter.translation, transcriptOf),
};
