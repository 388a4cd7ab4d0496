import { omitUndefined } from '../../../shared/omit-undefined.js';
import { AppError } from '../../../shared/errors.js';
import type { Adapter, OneShotCapability } from '../../contract.js';
import { asFields, asList, asText, someNumber } from '../../neutral/fields.js';
import { toCount } from '../../languages/openai/usage.js';
import { embeddingTexts } from '../openai-compatible/embedding-texts.js';
import type { OpenAiVariant } from '../openai-compatible/variant.js';
import { usageFields } from '../../languages/openai/one-shot-usage.js';
import { answerFields, needAudio, oneShot, othersThan } from '../openai-compatible/one-shot.js';
import { openAICompatible } from '../openai-compatible/openai-compatible.js';
import { reasoningRules } from '../openai-compatible/chat-body.js';
import { UpstreamError } from '../../errors/upstream-error.js';

/** Codes of `base_resp`, which arrive with status 200. */
const statusOf: Readonly<Record<number, number>> = {
  1002: 429,
  1004: 401,
  1008: 402,
  1026: 400,
  1027: 400,
  1039: 429,
  1042: 400,
  2013: 400,
  2049: 401,
};

/** @throws UpstreamError when `base_resp` reports an error */
export function refuseBaseResponse(answer: Record<string, unknown>): Record<string, unknown> {
  const reported = asFields(answer['base_resp']);
  const code = someNumber(reported?.['status_code']) ?? 0;
  if (code === 0) return answer;
  const message = asText(reported?.['status_msg']) || `the provider returned code ${code}`;
  throw new UpstreamError(statusOf[code] ?? 502, { message, type: 'minimax_error', code });
}

const variant: OpenAiVariant = {
  chat: '/v1/text/chatcompletion_v2',
  rules: reasoningRules,
  answer: refuseBaseResponse,
  chunk: refuseBaseResponse,
};

/** The provider's own protocol takes texts and their purpose, and returns vectors. */
const embeddings = oneShot(variant, '/v1/embeddings', {
  dropped: othersThan('input', 'type'),
  body: ({ model, input, type }) => ({
    model,
    texts: embeddingTexts({ input }),
    type: type ?? 'db',
  }),
  answer: (answer, _request, target) => {
    refuseBaseResponse({ ...answer });
    // Proxies of this provider return OpenAI's shape.
    if (Array.isArray(answer['data'])) return { ...answer };
    return {
      object: 'list',
      model: target.requestedModel,
      data: asList(answer['vectors']).map((embedding, index) => ({ object: 'embedding', index, embedding })),
      ...usageFields(toCount(answer['total_tokens'])),
    };
  },
});

export const minimax: Adapter = { ...openAICompatible(variant), embeddings, speech: minimaxSpeech(variant) };

/** Chat at the path of OpenAI. */
export const minimaxCompatible: Adapter = {
  ...minimax,
  ...openAICompatible({ ...variant, chat: '/v1/chat/completions' }),
};

const audioTypes: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  pcm: 'audio/pcm',
};

const formatOf = (body: Readonly<Record<string, unknown>>): string => asText(body['response_format']) || 'mp3';

/** The audio arrives as hexadecimal digits inside JSON. */
function minimaxSpeech(variant: OpenAiVariant): OneShotCapability {
  const json = oneShot(variant, '/v1/t2a_v2', {
    dropped: othersThan('input', 'voice', 'speed', 'response_format'),
    body(body) {
      needAudio(body);
      return {
        model: body['model'],
        text: body['input'],
        stream: false,
        voice_setting: omitUndefined({ voice_id: body['voice'], speed: body['speed'] }),
        audio_setting: { format: formatOf(body) },
      };
    },
  });
  return {
    toUpstreamRequest: (request, target) => json.toUpstreamRequest(request, target),
    fromUpstreamResponse(answer, request) {
      const fields = refuseBaseResponse({ ...answerFields(answer) });
      const sound = Buffer.from(asText(asFields(fields['data'])?.['audio']), 'hex');
      if (sound.length === 0)
        throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response contains no audio');
      return { contentType: audioTypes[formatOf(request.body)] ?? 'audio/mpeg', body: sound, usage: null };
    },
  };
}
