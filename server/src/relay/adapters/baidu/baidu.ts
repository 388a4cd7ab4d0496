import { omitUndefined } from '../../../shared/omit-undefined.js';
import { AppError } from '../../../shared/errors.js';
import type { Adapter, ConversationCapability, Target } from '../../adapter.js';
import { alternating, droppedBy, plainTurns, splitInstructions } from '../../neutral/abilities.js';
import type { NeutralAnswer } from '../../neutral/answer.js';
import type { StreamReader, WrittenRequest } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import { asFields, asText, parseFields, someNumber, someText, type Fields, type Json } from '../../neutral/fields.js';
import { toFinishReason, type FinishReason } from '../../neutral/finish-reason.js';
import type { NeutralRequest } from '../../neutral/request.js';
import { toUsage } from '../../protocols/openai/usage.js';
import type { ServerEvent } from '../../sse/event.js';
import { plainJsonFrames } from '../openai-compatible/block-frames.js';
import { oneShot, othersThan } from '../openai-compatible/one-shot.js';
import { baseOf, jsonHeaders, oneAnswer, textPart } from '../openai-compatible/own-dialect.js';
import { baiduCredential } from './baidu-credential.js';
import { baiduError } from './baidu-error.js';
import { placeOf } from './models.js';

/** The token is a query parameter, because the API accepts it nowhere else. */
const addressOf = (kind: 'chat' | 'embeddings', target: Target, model: string): string =>
  `${baseOf(target)}/rpc/2.0/ai_custom/v1/wenxinworkshop/${kind}/${placeOf(model)}?access_token=${encodeURIComponent(target.credential)}`;

/** Instructions are a separate field, and turns alternate, beginning and ending with the user. */
function write(request: NeutralRequest): WrittenRequest {
  const dropped = droppedBy(request, {
    stop: true,
    user: true,
    maxOutput: true,
    sampling: ['temperature', 'topP', 'frequencyPenalty'],
  });
  const { instructions, turns } = splitInstructions(plainTurns(request, dropped));
  const { temperature, topP, frequencyPenalty } = request.sampling;
  const body = omitUndefined<Json>({
    messages: alternating(turns).map(({ role, text }) => ({ role, content: text })),
    system: instructions || undefined,
    temperature: temperature === undefined ? undefined : Math.min(Math.max(temperature, 0.01), 1),
    top_p: topP,
    penalty_score: frequencyPenalty,
    stop: request.stop.length > 0 ? request.stop : undefined,
    stream: request.stream || undefined,
    user_id: request.user,
    max_output_tokens: request.maxOutput === 1 ? 2 : request.maxOutput,
  });
  return { body, dropped: dropped.names };
}

const finishOf = (answer: Fields): FinishReason => {
  if (answer['is_truncated'] === true) return 'length';
  const reason = someText(answer['finish_reason']);
  return reason === undefined || reason === 'normal' ? 'stop' : toFinishReason(reason);
};

/** @throws UpstreamError when it reports an error; AppError UPSTREAM_INVALID_RESPONSE when it is not a response */
function read(body: unknown): NeutralAnswer {
  const answer = asFields(body);
  const error = answer ? baiduError(answer) : null;
  if (error) throw error;
  if (!answer || typeof answer['result'] !== 'string') {
    throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream answered with something that is no answer of ERNIE');
  }
  const head = { id: asText(answer['id']), created: someNumber(answer['created']) };
  return oneAnswer(head, textPart(answer['result']), finishOf(answer), toUsage(answer['usage']));
}

class BaiduStreamReader implements StreamReader {
  private started = false;
  done = false;

  push({ data }: ServerEvent): NeutralEvent[] {
    const piece = parseFields(data);
    if (!piece) return [];
    const error = baiduError(piece);
    if (error) return [{ kind: 'error', error }];
    const events: NeutralEvent[] = [];
    if (!this.started) {
      this.started = true;
      events.push({ kind: 'start', id: asText(piece['id']), model: '', created: someNumber(piece['created']) });
    }
    const text = asText(piece['result']);
    if (text !== '') events.push({ kind: 'text', choice: 0, text });
    if (piece['is_end'] === true) {
      this.done = true;
      events.push({ kind: 'finish', choice: 0, reason: finishOf(piece) });
    }
    const usage = toUsage(piece['usage']);
    if (usage) events.push({ kind: 'usage', usage });
    return events;
  }
}

const conversation: ConversationCapability = {
  codec: () => ({ dialect: 'own', write, read, openReader: () => new BaiduStreamReader() }),
  openFrames: plainJsonFrames,
  toUpstreamRequest: (body, { stream, model }, target) => ({
    method: 'POST',
    url: addressOf('chat', target, model),
    headers: jsonHeaders(stream),
    body: JSON.stringify(body),
  }),
};

const embeddings = oneShot(
  { credentials: () => ({}) },
  (_base, _call, target) => addressOf('embeddings', target, target.upstreamModel),
  {
    dropped: othersThan('input'),
    body: ({ input }) => ({ input: Array.isArray(input) ? (input as unknown[]) : [input] }),
    answer: (answer, _request, target) => {
      const error = baiduError(answer);
      if (error) throw error;
      return omitUndefined({
        object: 'list',
        model: target.requestedModel,
        data: answer['data'],
        usage: answer['usage'],
      });
    },
  },
);

/** Type 15 (docs/reference/providers/own-protocols.md#baidu-ernie). */
export const baidu: Adapter = { conversation, embeddings, credential: baiduCredential };
