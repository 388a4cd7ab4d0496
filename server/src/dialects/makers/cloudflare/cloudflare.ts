import { AppError, InvalidInputError } from '../../../shared/errors.js';
import { omitUndefined } from '../../../shared/omit-undefined.js';
import type { Adapter, ChatCapability, FormFile, OneShotCapability, OneShotRequest } from '../../contract.js';
import type { Target } from '../../target.js';
import { asFields, asFieldsList, asList, asText, someNumber, type Fields } from '../../neutral/fields.js';
import type { OpenAiVariant, EndpointPath } from '../openai-compatible/variant.js';
import { openAICompatible, streamed } from '../openai-compatible/openai-compatible.js';
import { addressOf, bearer } from '../openai-compatible/address.js';
import { answerFields, oneShot, othersThan } from '../openai-compatible/one-shot.js';
import { shownTranscript, transcriptFormat } from './transcript.js';
import { unixSecond } from '../../../shared/clock.js';

/** An image as bytes, or as base64 inside JSON: both are converted to OpenAI's shape. */
function cloudflareImages(variant: OpenAiVariant, place: EndpointPath): OneShotCapability {
  const json = oneShot(variant, place, {
    body: imageBody,
    dropped: othersThan('prompt', 'size', 'n', 'steps', 'seed', 'negative_prompt', 'response_format'),
  });
  return {
    toUpstreamRequest: (request, target) => json.toUpstreamRequest(request, target),
    fromUpstreamResponse: (answer, _request, { now }) => {
      const encoded = answer.contentType.startsWith('image/')
        ? answer.body.toString('base64')
        : asText(asFields(answerFields(answer)['result'])?.['image']);
      if (encoded === '') throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response contains no image');
      const body = { created: unixSecond(now), data: [{ b64_json: encoded }] };
      return { contentType: 'application/json', body: Buffer.from(JSON.stringify(body)), usage: null };
    },
  };
}

/** @throws InvalidInputError naming an unsupported field */
function imageBody(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { prompt, size, n, steps, seed, negative_prompt: avoided } = body;
  if ((someNumber(n) ?? 1) > 1)
    throw new InvalidInputError('n must be 1: the provider generates one image per call', 'n');
  const [width, height] = asText(size).split('x').map(Number);
  return omitUndefined({
    prompt,
    negative_prompt: avoided,
    width: width || undefined,
    height: height || undefined,
    steps,
    seed,
  });
}

/** Matches newer models, which accept base64 inside JSON. Other models accept the audio bytes. */
const takesJson = /whisper-large-v3-turbo/;

const shownFields = ['response_format', 'timestamp_granularities[]', 'stream'] as const;
const unusedBy = (json: boolean): ((body: Fields) => string[]) =>
  othersThan(...shownFields, ...(json ? ['language', 'prompt'] : []));

function cloudflareTranscription(variant: OpenAiVariant, place: EndpointPath): OneShotCapability {
  return {
    toUpstreamRequest(request, target) {
      const file = fileOf(request);
      const json = takesJson.test(target.upstreamModel);
      const { language, prompt } = request.body;
      transcriptFormat(request.body);
      const dropped = unusedBy(json)(request.body);
      return {
        method: 'POST',
        url: addressOf(place, request, target),
        headers: { 'content-type': json ? 'application/json' : 'application/octet-stream', ...bearer(target) },
        body: json
          ? JSON.stringify(omitUndefined({ audio: file.bytes.toString('base64'), language, initial_prompt: prompt }))
          : file.bytes,
        ...(dropped.length > 0 ? { dropped } : {}),
      };
    },
    fromUpstreamResponse(answer, request: OneShotRequest, _target: Target) {
      const result = asFields(answerFields(answer)['result']) ?? {};
      return { ...shownTranscript(result, transcriptFormat(request.body)), usage: null };
    },
  };
}

/** @throws InvalidInputError when the form contains no file */
function fileOf({ form }: OneShotRequest): FormFile {
  for (const { name, value } of form ?? []) if (name === 'file' && typeof value !== 'string') return value;
  throw new InvalidInputError('file is required', 'file');
}

/** @throws AppError UPSTREAM_UNREACHABLE when the channel does not name the account */
function accountUrl(base: string, { other }: Pick<Target, 'other'>): string {
  const account = other.trim();
  if (account === '') throw new AppError('UPSTREAM_UNREACHABLE', 'The channel does not name its Cloudflare account');
  return `${base}/client/v4/accounts/${encodeURIComponent(account)}/ai`;
}

/** Models with their own protocol are called at a path with their name, which contains slashes. */
const runUrl = (base: string, _call: unknown, target: Target): string =>
  `${accountUrl(base, target)}/run/${encodeURI(target.upstreamModel)}`;

/** Cloudflare returns its own names; this restores the requested model name. */
const named = (answer: Record<string, unknown>, target: Target): Record<string, unknown> => ({
  ...answer,
  model: target.upstreamModel,
});

const variant: OpenAiVariant = {
  chat: (base, _call, target) => `${accountUrl(base, target)}/v1/chat/completions`,
  capabilities: { embeddings: (base, _call, target) => `${accountUrl(base, target)}/v1/embeddings` },
  answer: named,
  chunk: named,
};

/** Converts `{result: {response, usage}}`, and `{response}` in a stream. */
function toCompletion(answer: Record<string, unknown>, target: Target): Record<string, unknown> {
  const result = asFields(answer['result']) ?? answer;
  // The last event of a stream has the usage.
  const ends = answer['result'] !== undefined || asFields(result['usage']) !== null;
  return {
    id: '',
    object: 'text_completion',
    created: unixSecond(target.now),
    model: target.upstreamModel,
    choices: [{ index: 0, text: asText(result['response']), logprobs: null, finish_reason: ends ? 'stop' : null }],
    ...(asFields(result['usage']) ? { usage: result['usage'] } : {}),
  };
}

const compatible = openAICompatible(variant);

export const cloudflare: Adapter = {
  ...compatible,
  // The schema of a model's own call has no `stream_options`. The last event always reports the usage.
  completions: streamed({ ...variant, refusesStreamOptions: true, answer: toCompletion, chunk: toCompletion }, runUrl),
  images: cloudflareImages(variant, runUrl),
  transcription: cloudflareTranscription(variant, runUrl),
};

/** Converts the same forms to chat completions. */
function toChat(answer: Record<string, unknown>, target: Target): Record<string, unknown> {
  // Calls with tools are answered by the compatible API.
  if (answer['choices'] !== undefined) return named(answer, target);
  const { choices, ...rest } = toCompletion(answer, target);
  const name = answer['result'] === undefined ? 'delta' : 'message';
  return {
    ...rest,
    object: name === 'delta' ? 'chat.completion.chunk' : 'chat.completion',
    choices: asFieldsList(choices).map(({ text, ...choice }) => ({
      ...choice,
      [name]: { role: 'assistant', content: text },
    })),
  };
}

/**
 * Chat at the model's own path. Calls with tools, whose form differs there, go to the compatible API, and calls with
 * parts, which that path refuses.
 */
function runChat(usual: ChatCapability): ChatCapability {
  const run = streamed({ ...variant, refusesStreamOptions: true, answer: toChat, chunk: toChat }, runUrl);
  const isPlain = ({ messages, tools }: Fields): boolean =>
    asList(tools).length === 0 && asFieldsList(messages).every(({ content }) => !Array.isArray(content));
  return {
    ...run,
    toUpstreamRequest: (request, target) => (isPlain(request.body) ? run : usual).toUpstreamRequest(request, target),
  };
}

/** Chat at the model's own path. */
export const cloudflareRun: Adapter = {
  ...cloudflare,
  ...(compatible.chat ? { chat: runChat(compatible.chat) } : {}),
};
