import type {
  Adapter,
  ChatCapability,
  ChatRequest,
  StreamTransform,
  Target,
  Transcript,
  UpstreamRequest,
} from '../../adapter.js';
import { eventStream } from '../../sse/event-stream.js';
import { fromChatAnswer } from './answer.js';
import { upstreamBody } from './body.js';
import { bearer } from './credentials.js';
import type { Dialect, Place } from './dialect.js';
import { knownChunk } from './known-chunk.js';
import { oneShot } from './one-shot.js';
import { PassThroughStream } from './pass-through-stream.js';
import { RebuiltStream, type ChunkRewrite } from './rebuilt-stream.js';
import { rerankRules } from './rerank.js';
import { nativeResponses } from './responses.js';
import { thinkingRewrite } from './thinking.js';
import { addressOf } from './url.js';

/** A provider that speaks OpenAI's dialect, with its differences as data. */
export function openAICompatible(dialect: Dialect = {}): Adapter {
  const { chat = true, responses, offers = {} } = dialect;
  const { completions, ...oneShots } = offers;
  return {
    ...(chat === false ? {} : { chat: streamed(dialect, chat) }),
    ...(responses ? { responses: nativeResponses(dialect, responses) } : {}),
    ...(completions ? { completions: streamed({ ...dialect, rules: undefined }, completions) } : {}),
    ...Object.fromEntries(
      Object.entries(oneShots).map(([name, place]) => [
        name,
        oneShot(dialect, place, name === 'rerank' ? rerankRules : {}),
      ]),
    ),
  };
}

/** Chat completions, and the older completions, whose chunks only hold text in another place. */
export const streamed = (dialect: Dialect, place: Place): ChatCapability => ({
  toUpstreamRequest: (request, target) => toUpstreamRequest(dialect, place, request, target),
  fromUpstreamResponse: (body, target) => fromChatAnswer(dialect, body, target),
  openStream: (request, target, heard) => openStream(dialect, request, target, heard),
});

function toUpstreamRequest(dialect: Dialect, place: Place, request: ChatRequest, target: Target): UpstreamRequest {
  const body = upstreamBody(request, target, dialect);
  const asked = body.model === target.upstreamModel ? target : { ...target, upstreamModel: body.model };
  return {
    method: 'POST',
    url: addressOf(place, request, asked),
    headers: {
      'content-type': 'application/json',
      accept: request.stream ? 'text/event-stream' : 'application/json',
      ...(dialect.credentials ?? bearer)(target),
      ...dialect.headers?.(target, request),
    },
    body: body.bytes,
    upstreamModel: body.model,
    ...(body.dropped === undefined ? {} : { dropped: body.dropped }),
    ...(body.reasoningEffort === undefined ? {} : { reasoningEffort: body.reasoningEffort }),
  };
}

function openStream(dialect: Dialect, request: ChatRequest, target: Target, heard: Transcript): StreamTransform {
  const { thinkingToContent, forceFormat } = target.setting;
  const { chunk: normalize, eventTypes } = dialect;
  if (!thinkingToContent && !forceFormat && !normalize && !eventTypes) {
    return new PassThroughStream(request.wantsUsage, heard);
  }
  const thinking = thinkingToContent ? thinkingRewrite() : null;
  const rewrite: ChunkRewrite = thinking?.rewrite ?? ((chunk) => [chunk]);
  return eventStream(
    new RebuiltStream(
      {
        normalize: (chunk) => normalize?.(chunk, target) ?? chunk,
        rewrite: (chunk) => (forceFormat ? rewrite(chunk).map(knownChunk) : rewrite(chunk)),
        close: thinking?.close ?? (() => null),
        eventTypes,
      },
      request.wantsUsage,
      heard,
    ),
  );
}
