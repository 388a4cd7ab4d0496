import { omitUndefined } from '../../../shared/omit-undefined.js';
import type { WrittenRequest } from '../../neutral/codec.js';
import { droppedBy } from '../../neutral/abilities.js';
import { fieldName, unsupported } from '../../neutral/field-name.js';
import { asFields, asFieldsList, type Json } from '../../neutral/fields.js';
import type { NeutralRequest, Reasoning, ResponseFormat } from '../../neutral/request.js';
import { writeMessages } from '../../languages/openai/chat-write-messages.js';
import { runnableTools } from '../../neutral/runnable-tools.js';
import { functionTool } from '../openai-compatible/own-dialect.js';

/** Thinking tokens by named effort. */
const budgets: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 31_000,
  max: 31_000,
};

/** A call of `/v2/chat` (docs/reference/providers/own-protocols.md#cohere). */
export function writeCohere(given: NeutralRequest): WrittenRequest {
  const dropped = droppedBy(given, {
    tools: true,
    responseFormats: true,
    reasoning: true,
    stop: true,
    maxOutput: true,
    sampling: ['temperature', 'topP', 'topK', 'seed', 'frequencyPenalty', 'presencePenalty'],
  });
  const request = runnableTools(given, dropped, ({ kind }) => kind === 'function');
  for (const { name } of request.messages) dropped.hint('name', name);
  const place = fieldName(request.dialect, 'messages');
  const messages = writeMessages({ ...request, dialect: 'openai-responses' }, dropped).map((message) =>
    toMessage(message, place),
  );
  const { tools, choice } = writeTools(request);
  const body = omitUndefined<Json>({
    model: request.model,
    messages,
    ...settingsOf(request),
    response_format: writeFormat(request.responseFormat),
    tools,
    tool_choice: choice,
    thinking: writeThinking(request.reasoning),
  });
  return { body, dropped: dropped.names };
}

/** Returns the fields of both versions of the API that are not about messages or tools. */
export const settingsOf = ({ stream, maxOutput, sampling, stop }: NeutralRequest): Json => ({
  stream,
  max_tokens: maxOutput,
  temperature: sampling.temperature,
  p: sampling.topP,
  k: sampling.topK,
  seed: sampling.seed,
  frequency_penalty: sampling.frequencyPenalty,
  presence_penalty: sampling.presencePenalty,
  stop_sequences: stop.length > 0 ? stop : undefined,
});

/** The message fields that Cohere accepts; role `developer` becomes `system`. */
function toMessage(message: Json, place: string): Json {
  const { role, content, tool_calls: calls, tool_call_id: id } = message;
  const strange = asFieldsList(content).find(({ type }) => type !== 'text' && type !== 'image_url');
  if (strange) throw unsupported(place, `it does not support parts of type ${String(strange['type'])}`);
  return omitUndefined({
    role: role === 'developer' ? 'system' : role,
    content: content === null && calls !== undefined ? undefined : content,
    tool_calls: calls,
    tool_call_id: id,
  });
}

/** Cohere can be forced to call a tool, but not a specific one: then only the allowed tools are sent. */
function writeTools(request: NeutralRequest): { tools: Json[] | undefined; choice: string | undefined } {
  const { tools, toolChoice } = request;
  if (tools.length === 0) return { tools: undefined, choice: undefined };
  switch (toolChoice?.mode) {
    case undefined:
    case 'auto':
      return { tools: tools.map(functionTool), choice: undefined };
    case 'required':
      return { tools: tools.map(functionTool), choice: 'REQUIRED' };
    case 'none':
      return { tools: tools.map(functionTool), choice: 'NONE' };
    case 'tool':
      return { tools: tools.filter(({ name }) => name === toolChoice.name).map(functionTool), choice: 'REQUIRED' };
    case 'allowed':
      return {
        tools: tools.filter(({ name }) => toolChoice.names.includes(name)).map(functionTool),
        choice: toolChoice.required ? 'REQUIRED' : undefined,
      };
    case 'builtin':
      throw unsupported(fieldName(request.dialect, 'toolChoice'), 'it refers to a tool of another provider');
  }
}

function writeFormat(format: ResponseFormat | undefined): Json | undefined {
  if (!format || format.kind === 'text') return undefined;
  return format.kind === 'json' ? { type: 'json_object' } : { type: 'json_object', json_schema: format.schema };
}

function writeThinking(reasoning: Reasoning | undefined): Json | undefined {
  if (!reasoning) return undefined;
  // Cohere's own clients use its own field.
  const given = asFields(reasoning.given['thinking']);
  if (given?.['token_budget'] !== undefined) return given;
  if (reasoning.off || reasoning.effort === 'none') return { type: 'disabled' };
  const budget = reasoning.budget ?? (reasoning.effort === undefined ? undefined : budgets[reasoning.effort]);
  return { type: 'enabled', ...(budget === undefined ? {} : { token_budget: budget }) };
}
