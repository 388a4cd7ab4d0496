import { InvalidInputError } from '../../shared/errors.js';
import { asFields, asFieldsList, asList, asText, type Fields } from '../../dialects/neutral/fields.js';
import { optionalFlag } from '../../dialects/neutral/given.js';
import { interactionErrorEvents } from '../../dialects/languages/gemini/interaction-events.js';
import { geminiErrorBody } from '../../dialects/languages/gemini/error.js';
import { interactionConfigFields, interactionFields, readTextFields } from '../../dialects/priced-fields.js';
import { interactionsDialect } from '../../gateway/deliver/chat-dialects.js';
import type { Endpoint } from '../../gateway/endpoint.js';
import { interactionPrompt } from '../../gateway/reserve/metering/dialect-prompts.js';
import { textsIn } from '../../gateway/reserve/metering/text-meter.js';
import { textTariff } from '../../gateway/reserve/tariffs/text-tariff.js';
import { parseJsonBody } from '../../dialects/wire/forms/json-body.js';
import { attemptChat } from '../../gateway/send/attempt-chat.js';
import { modelOf } from '../chat/chat-endpoints.js';
import { limitInteraction } from '../chat/output-limit.js';
import { needInput } from '../refusals.js';

/** Fields of work that goes on after the response, or in machines of Google, and that no response states in full. */
const unmetered = ['agent', 'agent_config', 'environment', 'webhook_config'];
const madeMedia: ReadonlySet<unknown> = new Set(['text', 'image', 'audio']);

/** POST /v1beta/interactions */
export const interactionsEndpoint: Endpoint = {
  route: 'interactions',
  operation: 'interactions',
  names: 'interactions',
  tariff: textTariff(({ body }) => interactionPrompt(body)),
  errors: () => ({ body: geminiErrorBody, events: interactionErrorEvents }),
  open(rawBody) {
    const { body } = openedBody(rawBody);
    return { body, model: modelOf(body).replace(/^models\//, '') };
  },
  parse({ body, model }) {
    needInput(body['input'], 'input', 'input is required');
    readTextFields(body, interactionFields);
    const config = asFields(body['generation_config']) ?? {};
    checkNames(config, 'generation_config.');
    const maxOutput = readTextFields(config, interactionConfigFields);
    checkMedia(body, config);
    return {
      body,
      model,
      stream: optionalFlag(body['stream'], 'stream') ?? false,
      wantsUsage: true,
      maxOutput,
      toolsOfGoogle: true,
    };
  },
  texts: (body) => textsIn([body['system_instruction'], body['input']]),
  limitOutput: limitInteraction,
  attempt: (attempt, client) => attemptChat(attempt, interactionsDialect, client),
};

/** Refuses agents before the missing model is noticed. */
function openedBody(rawBody: Buffer): { readonly body: Fields } {
  const body = parseJsonBody(rawBody);
  checkNames(body);
  if (optionalFlag(body['background'], 'background')) throw refused('background');
  const name = unmetered.find((each) => body[each] !== undefined && body[each] !== null);
  if (name !== undefined) throw refused(name);
  return { body };
}

/** Google also reads names in camel case. Only one spelling of a field is accepted, so that it is the one that is priced. */
function checkNames(fields: Fields, at = ''): void {
  const name = Object.keys(fields).find((each) => /[A-Z]/.test(each));
  if (name !== undefined) throw new InvalidInputError(`${at}${name} must be written in snake case`, at + name);
}

/** Videos have a price by second, which an interaction does not report. */
function checkMedia(body: Fields, config: Fields): void {
  if (config['video_config'] !== undefined) throw refused('generation_config.video_config');
  const formats = asFieldsList([body['response_format']].flat()).map(({ type }) => type ?? 'text');
  const made = [...asList(body['response_modalities']), ...formats];
  const other = made.find((each) => !madeMedia.has(each));
  if (other !== undefined) throw refused(`an output of type ${asText(other).slice(0, 50)}`);
}

const refused = (what: string): InvalidInputError =>
  new InvalidInputError(`${what} is not supported in interactions: its cost cannot be metered`, what);
