import { AppError } from '../../shared/errors.js';
import type { ChatAnswer, ChatCapability, ChatRequest } from '../../dialects/contract.js';
import { type ChatDialect, responsesDialect } from '../../gateway/deliver/chat-dialects.js';
import type { NeutralAnswer } from '../../dialects/neutral/answer.js';
import type { AnswerContext, AnswerStore, ClientCodec } from '../../dialects/neutral/codec.js';
import { asFields, asList, parseJson, type Fields, type Json } from '../../dialects/neutral/fields.js';
import { ItemIds, responseId, responseObject } from '../../dialects/languages/responses/response-object.js';
import { parseResponsesRequest } from '../../dialects/languages/responses/responses-parse.js';
import { readResponse } from '../../dialects/languages/responses/responses-read.js';
import { ResponsesStreamWriter } from '../../dialects/languages/responses/responses-stream-writer.js';
import { fromResponsesUsage } from '../../dialects/languages/responses/responses-usage.js';
import { itemsOf } from './resumed-call.js';
import { isTrigger } from './sealed-summaries.js';
import { unixSecond } from '../../shared/clock.js';

const request = `Summarize this conversation for a successor who will continue it without having read it. Do not continue the
work and do not call tools. State, as far as they occur:
- what the user wants, with constraints, preferences and decisions;
- what was done, with names of files, commands, identifiers and their results;
- what is known to work or to fail, and exact error messages;
- what is left to do, and the very next step.
Quote exact names and values. Write only the summary.`;

/** Maximum characters of the user's own messages that are kept beside a summary; the newest first. */
const keptCharacters = 64 * 1024;

/** Whether an ordinary call asks for a compaction. */
export const asksForCompaction = (input: unknown): boolean => isTrigger(asList(input).at(-1));

/** How a summary is sent to the client. */
export interface Sealing {
  /** The id of the request. A gateway may give two responses one id. */
  readonly id: string;
  /** Returns the summary as `encrypted_content`. */
  readonly seal: (summary: string) => string;
  /** Stores the response when a provider of Responses generates it. The provider is asked to store nothing. */
  readonly store?: AnswerStore | undefined;
}

/**
 * A call that summarizes its own conversation, at a provider without compaction: by the same model, as an ordinary call
 * without a stream.
 * @param form `compaction`: the object of `/responses/compact`; `response`: an ordinary response with one item
 */
export function summaryDialect(form: 'compaction' | 'response', { id, seal, store }: Sealing): ChatDialect {
  const answerOf = (answer: NeutralAnswer, context: AnswerContext): Json => {
    const item = {
      id: new ItemIds(context.id).next('cmp'),
      type: 'compaction',
      encrypted_content: seal(summaryIn(answer)),
    };
    const usage = answer.usage ? fromResponsesUsage(answer.usage) : null;
    const head = { id: responseId('', context), created: context.created, model: answer.model || context.model };
    if (form === 'response') {
      const response = responseObject(head, context, { status: 'completed', output: [item], usage });
      context.store?.keep(head.id, response);
      return response;
    }
    const output = [...keptItems(context.body['input']), item];
    return { id: head.id, object: 'response.compaction', created_at: head.created, output, usage };
  };
  const client: ClientCodec = {
    dialect: 'openai-responses',
    parse: ({ body, ...call }) => parseResponsesRequest({ ...call, body: summaryBody(body) }),
    check: (answer) => void summaryIn(answer),
    toAnswer: answerOf,
    // The call is never streamed. `replay` writes the events.
    openWriter: (context) => new ResponsesStreamWriter(context),
  };
  return {
    native: 'responses',
    adapted: (responses) => summarizing(responses, { id, ...(store ? { store } : {}) }, answerOf),
    client,
    openReader: null,
    takesComments: true,
    replay: (...given) => responsesDialect.replay(...given),
  };
}

/**
 * Returns the body of a summary call. Instructions and tools are kept, so that a provider may find the conversation in
 * its cache.
 */
function summaryBody({ input, tools, ...body }: Fields): Json {
  const { tool_choice: _choice, text: _text, store: _store, ...rest } = body;
  const items = itemsOf(input).filter((item) => !isTrigger(item));
  return {
    ...rest,
    store: false,
    input: [...items, { type: 'message', role: 'user', content: request }],
    ...(asList(tools).length > 0 ? { tools, tool_choice: 'none' } : {}),
  };
}

/** @throws AppError UPSTREAM_INVALID_RESPONSE */
function summaryIn({ choices }: NeutralAnswer): string {
  const texts = choices.flatMap(({ parts }) => parts.map((part) => (part.kind === 'text' ? part.text : '')));
  const summary = texts.join('').trim();
  if (summary === '') throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response contains no summary');
  return summary;
}

/** Returns the instructions among the items, and the user's own messages. */
function keptItems(input: unknown): unknown[] {
  let left = keptCharacters;
  const kept: unknown[] = [];
  for (const item of itemsOf(input).toReversed()) {
    const fields = asFields(item) ?? {};
    if ((fields['type'] ?? 'message') !== 'message') continue;
    const isRule = fields['role'] === 'system' || fields['role'] === 'developer';
    if (!isRule && fields['role'] !== 'user') continue;
    const { length } = JSON.stringify(fields['content'] ?? '');
    if (!isRule && (left -= length) < 0) left = 0;
    else kept.unshift(item);
  }
  return kept;
}

/** Returns the capability of a provider of Responses without compaction. */
function summarizing(
  responses: ChatCapability,
  made: Pick<AnswerContext, 'id' | 'store'>,
  answerOf: (answer: NeutralAnswer, context: AnswerContext) => Json,
): ChatCapability {
  let asked: ChatRequest | null = null;
  return {
    toUpstreamRequest(given, target) {
      asked = given;
      const body = { ...summaryBody(given.body), stream: false };
      return responses.toUpstreamRequest(
        { ...given, path: '/v1/responses', body, rawBody: Buffer.from(JSON.stringify(body)) },
        target,
      );
    },
    fromUpstreamResponse(body, target): ChatAnswer {
      const own = responses.fromUpstreamResponse(body, target);
      const said = readResponse(asFields(parseJson(body.toString('utf8'))) ?? {});
      const context = { ...made, created: unixSecond(target.now), model: target.requestedModel };
      const shown = { ...context, promptTokens: 0, includeUsage: true, body: asked?.body ?? {} };
      // The provider's id is removed, because the provider stores nothing under it.
      return {
        body: Buffer.from(JSON.stringify(answerOf(said, shown))),
        usage: own.usage,
        report: (transcript) => own.report(transcript),
      };
    },
    openStream: (given, target, transcript) => responses.openStream(given, target, transcript),
  };
}
