import { InvalidInputError } from '../../shared/errors.js';
import { attemptChat } from '../../gateway/send/attempt-chat.js';
import {
  type ChatDialect,
  generateDialect,
  messagesDialect,
  openAIChat,
  responsesDialect,
} from '../../gateway/deliver/chat-dialects.js';
import type { Endpoint, ErrorDialect } from '../../gateway/endpoint.js';
import { textsIn } from '../../gateway/reserve/metering/text-meter.js';
import { contentsPrompt, messagesPrompt, responsesPrompt } from '../../gateway/reserve/metering/dialect-prompts.js';
import {
  chatFields,
  checkTools,
  generateConfigFields,
  generateFields,
  messagesFields,
  readTextFields,
  responsesFields,
} from '../../dialects/priced-fields.js';
import { declaredTools, declaringItem, definitionIn, toolChanges } from '../../dialects/neutral/declared-tools.js';
import { fitRequest } from '../../dialects/neutral/fitted-request.js';
import { optionalFlag } from '../../dialects/neutral/given.js';
import { asFields, asList, asText, checkEachTurn, either, type Fields } from '../../dialects/neutral/fields.js';
import { anthropicErrorBody, anthropicErrorEvents } from '../../dialects/languages/anthropic/error.js';
import { awsErrorType, bedrockErrorBody } from '../../dialects/languages/bedrock/error.js';
import { geminiClient } from '../../dialects/languages/gemini/gemini-client.js';
import { geminiErrorBody, geminiErrorEvents } from '../../dialects/languages/gemini/error.js';
import { checkMessagesRequest } from '../../dialects/languages/anthropic/messages-parse.js';
import { parseJsonBody } from '../../dialects/wire/forms/json-body.js';
import { chatProvider } from '../../dialects/languages/openai/chat-write.js';
import { openAIErrorBody, openAIErrorEvents } from '../../dialects/languages/openai/error.js';
import { withFlatTools, withNestedTools } from '../../dialects/languages/openai/tool-shapes.js';
import { toCount } from '../../dialects/languages/openai/usage.js';
import { drawingIn, withDrawingModel } from '../../dialects/languages/responses/drawing-tool.js';
import { responsesClient } from '../../dialects/languages/responses/responses-client.js';
import { responsesErrorEvents } from '../../dialects/languages/responses/error.js';
import type { OpenedBody, ParsedRequest } from '../../gateway/request.js';
import {
  limitChat,
  limitGenerate,
  limitMessages,
  limitMessagesTools,
  limitResponses,
  limitResponsesTools,
} from './output-limit.js';
import { messagesTariff, textTariff } from '../../gateway/reserve/tariffs/text-tariff.js';
import { malformed, RelayError } from '../../dialects/errors/relay-error.js';
import { needInput, withCode } from '../refusals.js';
import { geminiCallOf, wantsJsonList } from './gemini-path.js';

export const openAIErrors: ErrorDialect = { body: openAIErrorBody, events: openAIErrorEvents };
export const anthropicErrors: ErrorDialect = { body: anthropicErrorBody, events: anthropicErrorEvents };
/** Errors inside a stream become AWS's frames when they are sent (`AwsResponse`). */
export const bedrockErrors: ErrorDialect = {
  body: bedrockErrorBody,
  headers: (status) => ({ 'x-amzn-errortype': awsErrorType(status) }),
  events: anthropicErrorEvents,
};
export const geminiErrors: ErrorDialect = { body: geminiErrorBody, events: geminiErrorEvents };
/** Errors of a stream that is sent as a JSON list. A list that has begun is closed as a list. */
const geminiListErrors: ErrorDialect = {
  body: geminiErrorBody,
  events: (failure, requestId) => `,${geminiErrorBody(failure, requestId)}]`,
};

export const openJson = (rawBody: Buffer): OpenedBody => {
  const body = parseJsonBody(rawBody);
  return { body, model: modelOf(body) };
};

const attemptIn =
  (dialect: ChatDialect): Endpoint['attempt'] =>
  (attempt, client) =>
    attemptChat(attempt, dialect, client);

/** POST /v1/chat/completions */
export const chatEndpoint: Endpoint = {
  route: 'chat',
  operation: 'chat',
  names: 'chat',
  tariff: textTariff(),
  errors: () => openAIErrors,
  open: openJson,
  translate: asChatBody,
  parse: ({ body }) => toChatCall(body),
  texts: (body) => textsIn(body['messages']),
  turns: 'messages',
  limitOutput: limitChat,
  attempt: attemptIn(openAIChat),
};

/**
 * Translates a body that was sent to chat completions, before anything else reads it. In agent mode Cursor sends a body of Responses
 * there, and expects an answer of chat completions; it sends flat tools, too.
 * @returns the same object when the body has the form of chat completions
 * @throws AppError INVALID_INPUT, UNSUPPORTED_BY_CHANNEL naming the field
 */
function asChatBody(opened: OpenedBody): OpenedBody {
  const { messages, input, tools } = opened.body;
  if ((messages === undefined || messages === null) && input !== undefined && input !== null)
    return fromResponses(opened);
  const nested = tools === undefined ? null : withNestedTools(opened.body);
  return nested ? { ...opened, body: nested, isRewritten: true } : opened;
}

/** The tools keep the client's names, because the provider is not known yet. */
function fromResponses({ body: given, model }: OpenedBody): OpenedBody {
  const parsed = responsesClient.parse({ body: withFlatTools(given) });
  const { request, dropped } = fitRequest(parsed, { dialect: 'openai-chat', customTools: true, keepsNames: true });
  const written = chatProvider({ reasoningHistory: 'reasoning_content' }).write(request);
  return { body: written.body, model, isRewritten: true, dropped: [...dropped, ...written.dropped] };
}

/** POST /v1/messages */
export const messagesEndpoint: Endpoint = {
  route: 'messages',
  operation: 'chat',
  names: 'messages',
  rateDialect: 'anthropic',
  tariff: messagesTariff(({ body }) => messagesPrompt(body)),
  errors: () => anthropicErrors,
  open(rawBody) {
    const body = parseJsonBody(rawBody);
    if (!body['model']) throw new InvalidInputError('field model is required', 'model');
    return { body, model: modelOf(body) };
  },
  parse({ body, model }): ParsedRequest {
    needMessages(body);
    // This call validates everything else before a provider is called or quota is reserved.
    checkMessagesRequest({ body, model });
    const maxOutput = readTextFields(body, messagesFields);
    for (const { at, block } of toolChanges(body['messages'])) checkTools([definitionIn(block) ?? {}], at);
    const stream = optionalFlag(body['stream'], 'stream') ?? false;
    const advisor = advisorIn(body);
    return { body, model, stream, wantsUsage: true, maxOutput, ...(advisor ? { advisor } : null) };
  },
  texts: (body) => textsIn([body['system'], body['messages']]),
  turns: 'messages',
  limitOutput: limitMessages,
  limitTools: limitMessagesTools,
  attempt: attemptIn(messagesDialect),
};

/** Tokens of one piece of advice, if its tool sets no limit. Usual advice has 1,400 to 1,800. */
const usualAdvice = 2048;

/** Finds the model that a tool of the request may ask for advice: the last definition counts. Null without such a tool. */
function advisorIn(body: Fields): ParsedRequest['advisor'] | null {
  const tool = declaredTools(body).findLast((each) => asText(each.tool['type']).startsWith('advisor_'))?.tool;
  const model = asText(tool?.['model']);
  return model ? { model, maxOutput: toCount(tool?.['max_tokens']) || usualAdvice } : null;
}

function needMessages(body: Fields): void {
  const { messages } = body;
  if (!Array.isArray(messages) || messages.length === 0)
    throw new InvalidInputError('field messages is required', 'messages');
}

/** Checks the form of an input of Responses, whose items may declare tools. */
function checkInput(input: unknown): void {
  if (typeof input === 'string') return;
  if (!Array.isArray(input)) throw new InvalidInputError('input must be text or a list', 'input');
  checkItems(input as unknown[]);
}

const checkItems = checkEachTurn((item, index) => {
  const tools = declaringItem(item)?.['tools'];
  if (tools !== undefined && tools !== null) checkTools(tools, `input[${index}].tools`);
});

const responsesCode = 'invalid_responses_request';

/** POST /v1/responses */
export const responsesEndpoint: Endpoint = {
  route: 'responses',
  operation: 'chat',
  names: 'responses',
  tariff: textTariff(({ body }, model) => responsesPrompt(body, model)),
  errors: () => ({ body: openAIErrorBody, events: responsesErrorEvents, streamsOverflow: true }),
  open: (rawBody, { headers }) =>
    withCode(responsesCode, () => {
      const opened = openJson(rawBody);
      const body = withDrawingModel(opened.body, headers);
      return body ? { ...opened, body, isRewritten: true } : opened;
    }),
  parse: ({ body, model }) =>
    withCode(responsesCode, () => {
      needInput(body['input'], 'input', 'input is required');
      checkInput(body['input']);
      const maxOutput = readTextFields(body, responsesFields);
      const stream = optionalFlag(body['stream'], 'stream') ?? false;
      // A response in the background is charged when it is complete.
      optionalFlag(body['background'], 'background');
      const drawing = drawingIn(body);
      return { body, model, stream, wantsUsage: true, maxOutput, ...(drawing ? { drawing } : null) };
    }),
  texts: (body) => textsIn([body['instructions'], body['input']]),
  turns: 'input',
  limitOutput: limitResponses,
  limitTools: limitResponsesTools,
  attempt: attemptIn(responsesDialect),
};

/** POST /v1beta/models/{model}:generateContent and :streamGenerateContent */
export const generateEndpoint: Endpoint = {
  route: 'generate',
  operation: 'generate_content',
  names: 'generate',
  tariff: textTariff(({ body }) => contentsPrompt(body)),
  errors: (incoming) => (wantsJsonList(incoming) ? geminiListErrors : geminiErrors),
  open: (rawBody, incoming) => ({ body: parseJsonBody(rawBody), model: geminiCallOf(incoming).model }),
  parse({ body, model }, incoming): ParsedRequest {
    const { stream, jsonList } = geminiCallOf(incoming);
    geminiClient.parse({ body, model, stream });
    const config = asFields(either(body, 'generationConfig', 'generation_config')) ?? {};
    readTextFields(body, generateFields);
    const maxOutput = readTextFields(config, generateConfigFields);
    return { body, model, stream, wantsUsage: true, maxOutput, ...(jsonList ? { jsonList } : {}) };
  },
  texts: (body) => textsIn([either(body, 'systemInstruction', 'system_instruction'), body['contents']]),
  turns: 'contents',
  limitOutput: limitGenerate,
  attempt: attemptIn(generateDialect),
};

/**
 * POST /v1beta/models/{model}:countTokens. The Gemini API counts `contents`, or a whole request in a field of its own;
 * Vertex counts a whole request. Both forms are read as the request that is counted.
 */
export const countContentsEndpoint: Endpoint = {
  ...generateEndpoint,
  open(rawBody, incoming) {
    const { body, model } = generateEndpoint.open(rawBody, incoming);
    return { body: asFields(either(body, 'generateContentRequest', 'generate_content_request')) ?? body, model };
  },
};

/**
 * POST /pg/chat/completions: a chat call of a signed-in user. `group` selects the group that routes and pays, and is
 * not sent to the provider.
 */
export const playgroundEndpoint: Endpoint = {
  ...chatEndpoint,
  route: 'playground',
  open(rawBody) {
    const { group: _group, ...body } = parseJsonBody(rawBody);
    const { model } = body;
    if (typeof model !== 'string' || model === '') {
      throw new RelayError('INVALID_INPUT', 'model is required', 'model_required');
    }
    return { body, model };
  },
  parse: ({ body }) => ({
    ...toChatCall(body),
    sent: { path: '/v1/chat/completions', rawBody: Buffer.from(JSON.stringify(body)) },
  }),
};

/**
 * Reads the model that a call names, before any other field.
 * @throws AppError INVALID_INPUT when it is missing, too long or no text
 */
export function modelOf(body: Fields): string {
  const model = body['model'];
  if (model === undefined || model === null || model === '') throw new InvalidInputError('model is required', 'model');
  if (typeof model !== 'string') throw malformed('model must be text');
  if (model.length > 256) throw malformed('model is too long');
  return model;
}

/** True when a client asks for the usage of a stream, in OpenAI's way or in that of OpenRouter's clients. */
export const asksForUsage = (body: Fields): boolean =>
  asFields(body['stream_options'])?.['include_usage'] === true || asFields(body['usage'])?.['include'] === true;

/** Checks the tools that messages declare (Kimi). */
const checkMessages = checkEachTurn((message, index) => {
  const tools = asFields(message)?.['tools'] ?? undefined;
  if (tools !== undefined) checkTools(tools, `messages[${index}].tools`);
});

/**
 * Parses a chat call.
 * @throws AppError INVALID_INPUT with the messages that clients of the OpenAI dialect know
 */
function toChatCall(body: Fields): ParsedRequest {
  const model = modelOf(body);
  needMessages(body);
  checkMessages(asList(body['messages']));
  const stream = body['stream'] ?? false;
  if (typeof stream !== 'boolean') throw malformed('stream must be true or false');
  return {
    body,
    model,
    stream,
    wantsUsage: stream && asksForUsage(body),
    maxOutput: readTextFields(body, chatFields),
  };
}
