/** Refusals of tools, of the choice between them, and of what cannot be asked for beside them: in the form of `refused-bodies.ts`. */
import { list, type Rule } from './refused-bodies.js';

type Json = Record<string, unknown>;
const fieldsOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});

/** The first entry that is refused, with its index in the list. */
function firstIn(entries: readonly Json[], refuse: (entry: Json, index: number) => string | null): string | null {
  for (const [index, entry] of entries.entries()) {
    const text = refuse(entry, index);
    if (text !== null) return text;
  }
  return null;
}

/**
 * Names of functions at chat completions: ailoy#109 (June 2025), ida-pro-mcp#129 (September 2025, Claude Code at DeepSeek), novamira#12
 * (April 2026).
 */
export const toolNames: Rule = ({ tools }) =>
  firstIn(list(tools), ({ function: called }, index) => {
    const { name = 'f' } = fieldsOf(called) as { name?: string };
    const field = `Invalid 'tools[${index}].function.name'`;
    if (name.length > 64)
      return `${field}: string too long. Expected a string with maximum length 64, but got a string with length ${name.length} instead.`;
    return /^[\w-]+$/.test(name)
      ? null
      : `${field}: string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
  });

/** QwenLM/Qwen3-VL#2069 (March 2026): the same at Alibaba, in other words. */
export const toolNamesOfQwen: Rule = ({ tools }) =>
  list(tools).some(({ function: called }) => String(fieldsOf(called)['name']).length > 64)
    ? '<400> InternalError.Algo.InvalidParameter: The length of the tool name cannot exceed 64.'
    : null;

/** modelcontextprotocol#1345 (August 2025), openapi-mcp#9 (June 2025). */
export const toolNamesOfClaude: Rule = ({ tools }) =>
  firstIn(list(tools), ({ name, input_schema: schema }, index) =>
    schema === undefined || /^[a-zA-Z0-9_-]{1,128}$/.test(String(name))
      ? null
      : `tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`,
  );

/** gemini-cli#12425, ccs#25, SuperGemini_Framework#12 (October and November 2025). */
export const toolNamesOfGemini: Rule = ({ tools }) =>
  firstIn(
    list(tools).flatMap(({ functionDeclarations }) => list(functionDeclarations)),
    ({ name }, index) =>
      /^[a-zA-Z_][\w.:-]{0,63}$/.test(String(name))
        ? null
        : `The GenerateContentRequest proto is invalid:\n  * tools[0].function_declarations[${index}].name: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.`,
  );

/** claude-code#5319 (August 2025), mcp-sap-docs#51 (May 2026), kata#365 (September 2026): one such tool of many ends every call. */
export const unionsAtTop: Rule = ({ tools }) =>
  firstIn(list(tools), ({ input_schema: schema }, index) => {
    if (schema === undefined) return null;
    const place = `tools.${index}.custom.input_schema`;
    if (['oneOf', 'allOf', 'anyOf'].some((name) => fieldsOf(schema)[name] !== undefined))
      return `${place}: input_schema does not support oneOf, allOf, or anyOf at the top level`;
    return fieldsOf(schema)['type'] === 'object' ? null : `${place}.type: Field required`;
  });

/** OpenAI: Copilot CLI 1.0.102 asks models named after Gemini for tools in a mode that only Gemini has (November 2026). */
export const unknownChoices: Rule = ({ tool_choice: choice }) =>
  typeof choice !== 'string' || ['none', 'auto', 'required'].includes(choice)
    ? null
    : `Invalid value: '${choice}'. Supported values are: 'none', 'auto', and 'required'.`;

/** OpenAI's API reference, `tool_choice` and `parallel_tool_calls` (November 2026): neither is allowed without tools. */
export const choicesWithoutTools: Rule = (body) => {
  if (list(body['tools']).length > 0) return null;
  const name = ['tool_choice', 'parallel_tool_calls'].find((each) => body[each] !== undefined && body[each] !== 'none');
  return name === undefined
    ? null
    : `Invalid value for '${name}': '${name}' is only allowed when 'tools' are specified.`;
};

const budgetOf = (body: Json): number | null => {
  const { type, budget_tokens: budget } = fieldsOf(body['thinking']);
  return type === 'enabled' ? Number(budget) : null;
};
const isThinking = (body: Json): boolean =>
  ['enabled', 'adaptive'].includes(String(fieldsOf(body['thinking'])['type']));

/** oh-my-pi#341 (March 2026), mastra#7507 (September 2025): also at Bedrock. */
export const forcedThinking: Rule = (body) =>
  isThinking(body) && ['any', 'tool'].includes(String(fieldsOf(body['tool_choice'])['type']))
    ? 'Thinking may not be enabled when tool_choice forces tool use.'
    : null;

/** Anthropic's documentation, "Extended thinking" (November 2026): at least 1,024 tokens, and fewer than `max_tokens`. */
export const thinkingBudgets: Rule = (body) => {
  const budget = budgetOf(body);
  if (budget === null) return null;
  if (!(budget >= 1024)) return 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024';
  return budget < Number(body['max_tokens']) ? null : '`max_tokens` must be greater than `thinking.budget_tokens`.';
};

/** NeatChat#72 (March 2026, at AWS), ChatterUI#564 (May 2026); Anthropic's documentation, "Extended thinking" (November 2026). */
export const samplings: Rule = (body) => {
  const { temperature, top_p: share } = body;
  if (temperature !== undefined && share !== undefined)
    return '`temperature` and `top_p` cannot both be specified for this model. Please use only one.';
  if (Number(temperature ?? 1) > 1) return 'temperature: range: 0..1';
  return isThinking(body) && Number(temperature ?? 1) !== 1
    ? '`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.'
    : null;
};

/** Anthropic's API reference, `stop_sequences` (November 2026). */
export const blankStops: Rule = ({ stop_sequences: stops }) =>
  Array.isArray(stops) && stops.some((each) => String(each).trim() === '')
    ? 'stop_sequences: each stop sequence must contain non-whitespace'
    : null;

/** Anthropic's documentation, "Vision" (November 2026): the type of an image is one of four, and that of its bytes. */
export const imageTypes: Rule = (body) => {
  const images = list(body['messages']).flatMap(({ content }) => list(content).filter(({ type }) => type === 'image'));
  const wrong = images.some(({ source }) => {
    const { type, media_type: media, data } = fieldsOf(source);
    if (type !== 'base64') return false;
    const isPng = String(data).startsWith('iVBORw0KGgo');
    return !/^image\/(?:jpeg|png|gif|webp)$/.test(String(media)) || isPng !== (media === 'image/png');
  });
  return wrong
    ? "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'"
    : null;
};
