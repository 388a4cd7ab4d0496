import { omitUndefined } from '../../../shared/omit-undefined.js';
import { AppError } from '../../../shared/errors.js';
import type { Adapter, FrameParser } from '../../contract.js';
import type { UpstreamError } from '../../errors/upstream-error.js';
import { droppedBy, plainTurns } from '../../neutral/abilities.js';
import type { NeutralAnswer } from '../../neutral/answer.js';
import type { StreamReader, WrittenRequest } from '../../neutral/codec.js';
import {
  asFields,
  asFieldsList,
  asText,
  type Fields,
  type Json,
  parseFields,
  someNumber,
  someText,
} from '../../neutral/fields.js';
import type { NeutralRequest } from '../../neutral/request.js';
import { toUsage } from '../../languages/openai/usage.js';
import type { NeutralEvent } from '../../neutral/event.js';
import { toUpstreamError } from '../../errors/read-upstream-error.js';
import { parseEvent } from '../../wire/sse/event-parser.js';
import type { ServerEvent } from '../../wire/sse/event.js';
import { baseOf, jsonHeaders, providerError, textPart } from '../openai-compatible/own-dialect.js';
import { BlockFrames } from '../openai-compatible/block-frames.js';
import { zhipuToken } from './token.js';

/** A non-standard field: `meta` of the last event becomes its data. */
const chatglmFrames = (): FrameParser =>
  new BlockFrames((text) => {
    const event = parseEvent(text);
    const meta = /^meta: ?(.*)$/m.exec(text)?.[1];
    return [
      ...(event && event.type !== 'finish' ? [event] : []),
      ...(meta === undefined ? [] : [{ type: 'finish', data: meta }]),
    ];
  });

/** Text arrives plain, not as JSON. */
class ChatglmStreamReader implements StreamReader {
  done = false;

  push({ type, data }: ServerEvent): NeutralEvent[] {
    switch (type) {
      case 'add':
        return data === '' ? [] : [{ kind: 'text', choice: 0, text: data }];
      case 'finish': {
        this.done = true;
        const usage = toUsage(asFields(parseFields(data)?.['usage']));
        return [{ kind: 'finish', choice: 0, reason: 'stop' }, ...(usage ? [{ kind: 'usage', usage } as const] : [])];
      }
      case 'error':
      case 'interrupted': {
        const reported = parseFields(data);
        const body = reported ? data : JSON.stringify({ message: asText(data) || `the provider ended with ${type}` });
        return [{ kind: 'error', error: toUpstreamError(502, body) }];
      }
      default:
        return [];
    }
  }
}

const statuses: Readonly<Record<number, number>> = {
  1000: 401,
  1001: 401,
  1002: 401,
  1003: 401,
  1004: 401,
  1112: 403,
  1113: 402,
  1210: 400,
  1211: 400,
  1214: 400,
  1261: 400,
  1301: 400,
  1302: 429,
  1303: 429,
  1305: 429,
};

/** An instruction becomes a user turn, which the model has agreed to. */
function write(request: NeutralRequest): WrittenRequest {
  const dropped = droppedBy(request, { sampling: ['temperature', 'topP'] });
  const { temperature, topP } = request.sampling;
  const prompt = plainTurns(request, dropped).flatMap(({ role, text }) =>
    role === 'system' || role === 'developer'
      ? [
          { role: 'system', content: text },
          { role: 'user', content: 'Okay' },
        ]
      : [{ role, content: text }],
  );
  const body = omitUndefined<Json>({
    prompt,
    temperature,
    top_p: topP === undefined ? undefined : Math.min(topP, 0.99),
    incremental: request.stream ? true : undefined,
  });
  return { body, dropped: dropped.names };
}

/** Removes the quotes around the model's text. */
const unquoted = (text: string): string => text.replace(/^"+|"+$/g, '');

/** @throws UpstreamError when it reports an error; AppError UPSTREAM_INVALID_RESPONSE when it is not a response */
function read(body: unknown): NeutralAnswer {
  const answer = asFields(body);
  if (answer?.['success'] === false) throw refusalOf(answer);
  const reported = asFields(answer?.['data']);
  if (!reported) throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is not a ChatGLM response');
  const choices = asFieldsList(reported['choices']);
  return {
    id: someText(reported['task_id']) ?? asText(reported['request_id']),
    model: '',
    choices: choices.map((choice, index) => ({
      index,
      parts: textPart(unquoted(asText(choice['content']))),
      finish: 'stop',
    })),
    usage: toUsage(reported['usage']),
  };
}

function refusalOf(answer: Fields): UpstreamError {
  const code = someNumber(answer['code']) ?? 0;
  return providerError('zhipu_error', code, asText(answer['msg']), statuses[code]);
}

/** Type 16 (docs/reference/providers/own-protocols.md#chatglm). The model's name is part of the URL. */
export const chatglm: Adapter = {
  conversation: {
    codec: () => ({ dialect: 'own', write, read, openReader: () => new ChatglmStreamReader() }),
    openFrames: chatglmFrames,
    toUpstreamRequest: (body, { stream, model }, target) => ({
      method: 'POST',
      url: `${baseOf(target)}/api/paas/v3/model-api/${encodeURIComponent(model)}/${stream ? 'sse-invoke' : 'invoke'}`,
      headers: { ...jsonHeaders(stream), authorization: zhipuToken(target.key, target.now) },
      body: JSON.stringify(body),
    }),
  },
};
