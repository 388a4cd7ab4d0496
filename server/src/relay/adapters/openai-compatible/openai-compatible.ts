import type { Adapter, ChatRequest, StreamTransform, Target, Transcript, UpstreamRequest } from '../../adapter.js';
import { eventStream } from '../../sse/event-stream.js';
import { fromChatAnswer } from './answer.js';
import { upstreamBody } from './body.js';
import type { Dialect } from './dialect.js';
import { knownChunk } from './known-chunk.js';
import { PassThroughStream } from './pass-through-stream.js';
import { RebuiltStream } from './rebuilt-stream.js';
import { thinkingRewrite } from './thinking.js';
import { chatUrl } from './url.js';

/** A provider that speaks OpenAI's chat dialect, with its differences as data. */
export function openAICompatible(dialect: Dialect = {}): Adapter {
  return {
    chat: {
      toUpstreamRequest: (request, target) => toUpstreamRequest(dialect, request, target),
      fromUpstreamResponse: fromChatAnswer,
      openStream,
    },
  };
}

function toUpstreamRequest(dialect: Dialect, request: ChatRequest, target: Target): UpstreamRequest {
  const body = upstreamBody(request, target, dialect);
  const asked = body.model === target.upstreamModel ? target : { ...target, upstreamModel: body.model };
  return {
    method: 'POST',
    url: chatUrl(dialect, request, asked),
    headers: {
      'content-type': 'application/json',
      accept: request.stream ? 'text/event-stream' : 'application/json',
      authorization: `Bearer ${target.key}`,
      ...dialect.headers?.(target),
    },
    body: body.bytes,
    upstreamModel: body.model,
    ...(body.reasoningEffort === undefined ? {} : { reasoningEffort: body.reasoningEffort }),
  };
}

function openStream(request: ChatRequest, target: Target, heard: Transcript): StreamTransform {
  const { thinkingToContent, forceFormat } = target.setting;
  if (!thinkingToContent && !forceFormat) return new PassThroughStream(request.wantsUsage, heard);
  const thinking = thinkingToContent ? thinkingRewrite() : null;
  const rewrite = thinking?.rewrite ?? ((chunk) => [chunk]);
  return eventStream(
    new RebuiltStream(
      (chunk) => (forceFormat ? rewrite(chunk).map(knownChunk) : rewrite(chunk)),
      request.wantsUsage,
      heard,
      thinking?.close,
    ),
  );
}
