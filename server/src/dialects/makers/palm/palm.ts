import { omitUndefined } from '../../../shared/omit-undefined.js';
import { AppError } from '../../../shared/errors.js';
import type { Adapter } from '../../contract.js';
import { alternating, droppedBy, plainTurns, splitInstructions } from '../../neutral/abilities.js';
import type { NeutralAnswer } from '../../neutral/answer.js';
import type { WrittenRequest } from '../../neutral/codec.js';
import { asFields, asFieldsList, asText, someNumber, type Json } from '../../neutral/fields.js';
import type { NeutralRequest } from '../../neutral/request.js';
import { jsonHeaders, providerError, textPart } from '../openai-compatible/own-dialect.js';

/** Instructions are the context of the prompt, and the turns of the two authors alternate. */
function write(request: NeutralRequest): WrittenRequest {
  const dropped = droppedBy(request, { count: true, sampling: ['temperature', 'topP', 'topK'] });
  const { temperature, topP, topK } = request.sampling;
  const { instructions, turns } = splitInstructions(plainTurns(request, dropped));
  const messages = alternating(turns).map(({ role, text }) => ({ author: role === 'user' ? '0' : '1', content: text }));
  const candidateCount = request.count === 1 ? undefined : request.count;
  return {
    body: omitUndefined<Json>({
      prompt: omitUndefined({ context: instructions || undefined, messages }),
      temperature,
      candidateCount,
      topP,
      topK,
    }),
    dropped: dropped.names,
  };
}

/** @throws UpstreamError when it reports an error or contains no text; AppError UPSTREAM_INVALID_RESPONSE */
function read(body: unknown): NeutralAnswer {
  const answer = asFields(body);
  if (!answer) throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is not a PaLM response');
  const error = asFields(answer['error']);
  const code = someNumber(error?.['code']) ?? 0;
  if (code !== 0)
    throw providerError('palm_error', code, asText(error?.['message']), code >= 400 && code < 600 ? code : undefined);
  const candidates = asFieldsList(answer['candidates']);
  if (candidates.length === 0)
    throw providerError('palm_error', 'no_candidates', 'The provider returned an empty response', 502);
  return {
    id: '',
    model: '',
    choices: candidates.map((each, index) => ({ index, parts: textPart(asText(each['content'])), finish: 'stop' })),
    usage: null,
  };
}

/** Type 11 (docs/reference/providers/own-protocols.md#palm). Google has retired it; it never streamed. */
export const palm: Adapter = {
  conversation: {
    codec: () => ({ dialect: 'own', write, read, openReader: () => ({ push: () => [], done: false }) }),
    toUpstreamRequest: (body, _call, target) => {
      const base = target.baseUrl.trim().replace(/\/+$/, '');
      if (base === '') throw new AppError('UPSTREAM_UNREACHABLE', 'The channel has no base URL');
      return {
        method: 'POST',
        url: `${base}/v1beta2/models/chat-bison-001:generateMessage`,
        headers: { ...jsonHeaders(false), 'x-goog-api-key': target.key },
        body: JSON.stringify(body),
      };
    },
  },
};
