import { limitChat } from './output-limit.js';
import { attemptChat } from '../../gateway/send/attempt-chat.js';
import { fimCompletions, textCompletions } from '../../gateway/deliver/chat-dialects.js';
import type { Endpoint } from '../../gateway/endpoint.js';
import { textsIn } from '../../gateway/reserve/metering/text-meter.js';
import { inputPrompt } from '../../gateway/reserve/metering/input-prompts.js';
import { chatFields, readTextFields } from '../../dialects/priced-fields.js';
import { needText, optionalFlag, optionalText } from '../../dialects/neutral/given.js';
import { parseJsonBody } from '../../dialects/wire/forms/json-body.js';
import { textTariff } from '../../gateway/reserve/tariffs/text-tariff.js';
import { asksForUsage, modelOf, openAIErrors } from './chat-endpoints.js';
import { needInput } from '../refusals.js';

/** POST /v1/completions */
export const completionsEndpoint: Endpoint = {
  route: 'completions',
  operation: 'text_completion',
  tariff: textTariff(({ body }, model) => inputPrompt(body['prompt'], model)),
  errors: () => openAIErrors,
  open(rawBody) {
    const body = parseJsonBody(rawBody);
    return { body, model: modelOf(body) };
  },
  parse({ body, model }) {
    needInput(body['prompt'], 'prompt');
    const stream = optionalFlag(body['stream'], 'stream') ?? false;
    return {
      body,
      model,
      stream,
      wantsUsage: stream && asksForUsage(body),
      maxOutput: readTextFields(body, chatFields),
    };
  },
  texts: (body) => textsIn(body['prompt']),
  limitOutput: limitChat,
  attempt: (attempt, client) => attemptChat(attempt, textCompletions, client),
};

/** POST /v1/fim/completions. Mistral always reports the usage of a stream. */
export const fimEndpoint: Endpoint = {
  ...completionsEndpoint,
  route: 'fim',
  operation: 'fim',
  tariff: textTariff(({ body }, model) => inputPrompt([body['prompt'], body['suffix'] ?? ''], model)),
  parse(opened, incoming) {
    needText(opened.body['prompt'], 'prompt');
    optionalText(opened.body['suffix'], 'suffix');
    return { ...completionsEndpoint.parse(opened, incoming), wantsUsage: true };
  },
  texts: (body) => textsIn([body['prompt'], body['suffix']]),
  attempt: (attempt, client) => attemptChat(attempt, fimCompletions, client),
};
