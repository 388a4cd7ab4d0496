import type { Adapter } from '../../adapter.js';
import { asList } from '../../neutral/fields.js';
import { toCount } from '../../protocols/openai/usage.js';
import type { Dialect } from '../openai-compatible/dialect.js';
import { usageFields } from '../openai-compatible/one-shot-usage.js';
import { oneShot, othersThan } from '../openai-compatible/one-shot.js';
import { openAICompatible } from '../openai-compatible/openai-compatible.js';
import { reasoningRules } from '../openai-compatible/chat-body.js';
import { refuseBaseResponse } from './base-response.js';
import { minimaxSpeech } from './minimax-speech.js';

const dialect: Dialect = {
  chat: '/v1/text/chatcompletion_v2',
  streamUsage: true,
  rules: reasoningRules,
  answer: refuseBaseResponse,
  chunk: refuseBaseResponse,
};

/** The provider's own protocol: texts and their purpose in, vectors out. */
const embeddings = oneShot(dialect, '/v1/embeddings', {
  dropped: othersThan('input', 'type'),
  body: ({ model, input, type }) => ({
    model,
    texts: Array.isArray(input) ? (input as unknown[]) : [input],
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

export const minimax: Adapter = { ...openAICompatible(dialect), embeddings, speech: minimaxSpeech(dialect) };
