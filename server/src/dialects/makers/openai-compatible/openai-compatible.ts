import { AppError } from '../../../shared/errors.js';
import type {
  Adapter,
  ChatCapability,
  ChatRequest,
  ResponsesRoute,
  StreamTransform,
  Transcript,
  UpstreamRequest,
  ChatAnswer,
} from '../../contract.js';
import type { Target } from '../../target.js';
import { readError } from '../../errors/read-upstream-error.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import { idsOfChat } from '../../languages/provider-ids.js';
import { reportChoices } from '../../languages/openai/chat-parts.js';
import { countedImages } from '../../languages/openai/image-count.js';
import { callEnding, repairedAnswer } from '../../languages/openai/loose-calls.js';
import { chatUsage } from '../../languages/openai/usage.js';
import { addressOf, bearer } from './address.js';
import { upstreamBody } from './chat-body.js';
import type { OpenAiVariant, EndpointPath } from './variant.js';
import { fimByCompletions } from './fim.js';
import { oneShot, type OneShotRules } from './one-shot.js';
import { PassThroughStream, SpokenStream } from './pass-through-stream.js';
import { RebuiltStream, type ChunkRewrite } from './rebuilt-stream.js';
import { rerankRules } from './rerank.js';
import { keptObjects } from './kept-objects.js';
import { nativeCompaction, nativeResponses, storedResponseAt } from './responses.js';
import { thinkingRewrite, thinkingToContent } from './thinking.js';
import { declaresWebSearch } from '../../neutral/web-search.js';
import { type Json, asFields, asList, parseFields, type Fields } from '../../neutral/fields.js';
import type { ProviderCodec } from '../../neutral/codec.js';
import { fieldName } from '../../neutral/field-name.js';
import { responsesProvider } from '../../languages/responses/responses-write.js';
import { parseExact, writeJson } from '../../../shared/exact-json.js';
import { writeBody } from '../../wire/forms/written-body.js';

/** Rules for images, in OpenAI's shape. */
export const imageRules: OneShotRules = { content: 'data', details: countedImages };

/** Rules of each endpoint, in OpenAI's shape. */
export const familyRules = {
  embeddings: { content: 'data' },
  images: imageRules,
  imageEdits: imageRules,
  imageVariations: imageRules,
  moderations: { content: 'results' },
  rerank: rerankRules,
  speech: { plain: 'audio', content: 'audio' },
  transcription: { plain: 'text', content: 'text' },
  translation: { plain: 'text', content: 'text' },
} as const satisfies Readonly<Record<string, OneShotRules>>;
const rulesOf: Readonly<Record<string, OneShotRules>> = familyRules;

/** A provider that speaks OpenAI's dialect, with its differences as data. */
export function openAICompatible(variant: OpenAiVariant = {}): Adapter {
  const { chat = true, responses, overResponses: over = responses, capabilities: offers = {} } = variant;
  const { completions, fim, ...oneShots } = offers;
  return {
    ...(chat === false ? {} : { chat: streamed(variant, chat) }),
    ...(responses
      ? { responses: nativeResponses(variant, responses), storedResponse: storedResponseAt(variant, responses) }
      : {}),
    ...(variant.keptObjects ? { keptObjects: keptObjects(variant) } : {}),
    ...(over ? { overResponses: overResponses(variant, over) } : {}),
    ...(responses && variant.compaction ? { compaction: nativeCompaction(variant, responses) } : {}),
    ...(completions ? { completions: streamed({ ...variant, rules: undefined }, completions) } : {}),
    ...(fim ? { fim: streamed({ ...variant, refusesStreamOptions: true }, fim) } : {}),
    ...(completions && !fim ? { fim: streamed(...fimByCompletions(variant, completions)) } : {}),
    ...Object.fromEntries(
      Object.entries(oneShots).map(([name, place]) => [name, oneShot(variant, place, rulesOf[name] ?? {})]),
    ),
  };
}

/** Chat completions, and legacy completions, whose chunks differ only in the text field. */
export const streamed = (variant: OpenAiVariant, place: EndpointPath): ChatCapability => ({
  toUpstreamRequest: (request, target) => toUpstreamRequest(variant, place, request, target),
  fromUpstreamResponse: (body, target, request) => fromChatAnswer(variant, body, target, request?.body),
  openStream: (request, target, transcript) => openStream(variant, request, target, transcript),
});

function toUpstreamRequest(
  variant: OpenAiVariant,
  place: EndpointPath,
  request: ChatRequest,
  target: Target,
): UpstreamRequest {
  const body = upstreamBody(request, target, variant);
  const asked = body.model === target.upstreamModel ? target : { ...target, upstreamModel: body.model };
  return {
    method: 'POST',
    url: addressOf(place, request, asked),
    headers: {
      'content-type': 'application/json',
      accept: request.stream ? 'text/event-stream' : 'application/json',
      ...(variant.credentials ?? bearer)(target),
      ...variant.headers?.(target, request),
    },
    body: body.bytes,
    upstreamModel: body.model,
    ...(body.dropped === undefined ? {} : { dropped: body.dropped }),
    ...(body.reasoningEffort === undefined ? {} : { reasoningEffort: body.reasoningEffort }),
  };
}

function openStream(
  variant: OpenAiVariant,
  request: ChatRequest,
  target: Target,
  transcript: Transcript,
): StreamTransform {
  const { thinkingToContent, forceFormat } = target.setting;
  const { chunk: normalize, eventTypes } = variant;
  const ending = callEnding(request.body);
  const asked = asFields(request.body['stream_options'])?.['include_usage'];
  const wantsUsage = request.wantsUsage || (variant.alwaysReportsUsage === true && asked !== false);
  if (!thinkingToContent && !forceFormat && !normalize && !eventTypes) {
    const isSpoken = asList(request.body['modalities']).includes('audio');
    return new (isSpoken ? SpokenStream : PassThroughStream)(wantsUsage, transcript, ending);
  }
  const thinking = thinkingToContent ? thinkingRewrite() : null;
  const rewrite: ChunkRewrite = thinking?.rewrite ?? ((chunk) => [chunk]);
  const shape = (chunk: Json): Json => (forceFormat ? knownChunk(chunk) : chunk);
  return new RebuiltStream(
    {
      normalize: (chunk) => normalize?.(chunk, target) ?? chunk,
      rewrite,
      close: thinking?.close ?? (() => null),
      shape,
      ending,
      eventTypes,
    },
    wantsUsage,
    transcript,
  );
}

/**
 * A complete response in the client's own dialect: the bytes stay unchanged if nothing has to change, and the relay
 * only reads them.
 * @param asked the body of the request
 */
export function fromChatAnswer(variant: OpenAiVariant, bytes: Buffer, target: Target, asked: Fields = {}): ChatAnswer {
  if (!variant.answer && !target.setting.thinkingToContent) return unchangedAnswer(variant, bytes, target, asked);
  const received = parseAnswer(bytes);
  const answer = normalAnswer(variant, received, target);
  const whole = repairedAnswer(answer, callEnding(asked));
  const shown = (target.setting.thinkingToContent ? thinkingToContent(whole) : null) ?? whole;
  return {
    body: shown === received ? bytes : Buffer.from(writeJson(shown)),
    usage: chatUsage(answer),
    givenIds: idsOfChat(answer),
    report: (transcript) => void reportChoices(answer['choices'], 'message', transcript),
  };
}

/**
 * Reads a response of which only the usage matters. Decoded as Latin-1 its texts are wrong, but its structure is right,
 * and it takes half the memory of UTF-16. The texts are decoded if they have to be counted.
 */
function unchangedAnswer(variant: OpenAiVariant, bytes: Buffer, target: Target, asked: Fields): ChatAnswer {
  const scanned = parseAnswer(bytes, 'latin1');
  if (scanned['error']) normalAnswer(variant, parseAnswer(bytes), target);
  const isSound = repairedAnswer(scanned, callEnding(asked)) === scanned;
  return {
    body: isSound ? bytes : Buffer.from(writeJson(repairedAnswer(parseAnswer(bytes), callEnding(asked)))),
    usage: chatUsage(scanned),
    givenIds: idsOfChat(scanned),
    report: (transcript) => void reportChoices(parseAnswer(bytes)['choices'], 'message', transcript),
  };
}

/** @throws UpstreamError when a success reports an error: another channel may serve the call */
export function normalAnswer(
  variant: OpenAiVariant,
  received: Record<string, unknown>,
  target: Target,
): Record<string, unknown> {
  const error = received['error'] ? readError(received) : null;
  if (error) throw new UpstreamError(502, error);
  return variant.answer?.(received, target) ?? received;
}

function parseAnswer(bytes: Buffer, encoding: 'utf8' | 'latin1' = 'utf8'): Record<string, unknown> {
  const text = bytes.toString(encoding);
  const fields = encoding === 'latin1' ? parseFields(text) : asFields(parseExact(text));
  if (fields) return fields;
  // The response is not JSON. The error does not contain the text, which may contain anything.
  throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is not a JSON object');
}

const pick = (from: Fields, names: readonly string[]): Json =>
  Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]));

/**
 * Channel setting `force_format`: removes fields outside the chunk schema, for clients that fail on them
 * (docs/reference/relay/routing.md#per-channel-settings).
 */
export function knownChunk(chunk: Json): Json {
  const choices = Array.isArray(chunk['choices']) ? (chunk['choices'] as Json[]) : [];
  return {
    id: chunk['id'] ?? '',
    object: 'chat.completion.chunk',
    created: chunk['created'] ?? 0,
    model: chunk['model'] ?? '',
    system_fingerprint: chunk['system_fingerprint'] ?? null,
    choices: choices.map((choice, position) => ({
      index: choice['index'] ?? position,
      delta: pick(asFields(choice['delta']) ?? {}, ['role', 'content', 'reasoning_content', 'reasoning', 'tool_calls']),
      logprobs: choice['logprobs'] ?? null,
      finish_reason: choice['finish_reason'] ?? null,
    })),
    usage: chunk['usage'] ?? null,
  };
}

/** Models that OpenAI serves only at Responses (OpenAI's model pages, November 2026). */
const onlyResponses =
  /^(?:o[13]-pro|o\d(?:-mini)?-deep-research|gpt-5[\d.]*-(?:pro|codex)|codex-|computer-use-preview|gpt-6-astra)/;
/** Models whose chat completions refuse functions unless the effort is `none` (BerriAI/litellm#34569, pipecat#4043). */
const reasonsWithTools = /^gpt-(?:5\.(?:[4-9]|\d\d)|[6-9]|\d\d)(?!.*-chat)/;

/** Models that search the web at Responses, where chat completions have no such tool. */
const searches = /^(?:gpt-(?:4o|4\.1|[5-9]|\d\d)|o[34])(?!.*-(?:chat|audio|realtime|search|nano))/;

/** Whether chat completions of OpenAI refuse the call, in any client's dialect, and Responses takes it. */
export function needsResponses(body: Fields, model: string): boolean {
  if (onlyResponses.test(model)) return true;
  if (!hasTools(body)) return false;
  if (searches.test(model) && declaresWebSearch(body)) return true;
  return reasonsWithTools.test(model) && !model.endsWith('-none') && body['reasoning_effort'] !== 'none';
}

const hasTools = ({ tools, functions }: Fields): boolean => asList(tools).length > 0 || asList(functions).length > 0;

/** Fields without a counterpart in Responses, in the dialects of clients. Their calls stay at chat completions. */
function wantsMoreThanResponses(body: Fields): boolean {
  const config = asFields(body['generationConfig']) ?? {};
  const several = [body['n'], config['candidateCount']].some((count) => typeof count === 'number' && count > 1);
  const modalities = [...asList(body['modalities']), ...asList(config['responseModalities'])];
  return (
    several ||
    body['logprobs'] === true ||
    config['responseLogprobs'] === true ||
    asFields(body['web_search_options']) !== null ||
    modalities.some((each) => String(each).toLowerCase() !== 'text')
  );
}

/**
 * Whether a call goes to Responses. The channel's setting decides, or else an earlier refusal of the provider, or else
 * the model.
 */
function takes({ needsResponses: needed }: OpenAiVariant, body: Fields, target: Target): boolean {
  const { setting, refusedAtChat, upstreamModel } = target;
  if (setting.chatUpstream === 'chat') return false;
  const isMeant =
    setting.chatUpstream === 'responses' ||
    refusedAtChat === 'all' ||
    (refusedAtChat === 'tools' && hasTools(body)) ||
    needed?.(body, upstreamModel) === true;
  return isMeant && !wantsMoreThanResponses(body);
}

/** Minimum output limit of Responses. The other dialects allow lower limits. */
const minOutput = 16;

/**
 * The models that need Responses also refuse stop texts at chat completions, so no call loses a field that worked
 * there.
 */
const overResponsesCodec: ProviderCodec = {
  ...responsesProvider,
  write(request) {
    const { body, dropped, ...written } = responsesProvider.write({ ...request, stop: [] });
    const limit = body['max_output_tokens'];
    if (typeof limit === 'number' && limit < minOutput) body['max_output_tokens'] = minOutput;
    const names = request.stop.length > 0 ? [...dropped, fieldName(request.dialect, 'stop')] : dropped;
    return { ...written, body, dropped: names };
  },
};

/** Responses as the upstream of clients of other dialects (docs/reference/providers/openai-family.md#chat-over-responses). */
function overResponses(variant: OpenAiVariant, place: EndpointPath): ResponsesRoute {
  const native = nativeResponses(variant, place);
  return {
    takes: (body, target) => takes(variant, body, target),
    codec: () => overResponsesCodec,
    toUpstreamRequest(body, { stream, headers }, target) {
      const rawBody = writeBody(body);
      const request = { path: '/v1/responses', body, rawBody, stream, wantsUsage: stream, headers };
      // The body already contains the channel's override.
      return native.toUpstreamRequest(request, { ...target, override: null });
    },
  };
}
