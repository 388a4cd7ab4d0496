/**
 * Refusals of one provider, or of one model wherever it runs: each returns null for a body that the real one takes, else the words of
 * the real one as far as public threads quote them.
 */

type Json = Record<string, unknown>;
export type Rule = (body: Json) => string | null;

export const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const fieldsOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const messagesOf = (body: Json): Json[] => list(body['messages']);
const wantedOutput = (body: Json): number =>
  Number(
    body['max_tokens'] ??
      body['max_completion_tokens'] ??
      body['max_output_tokens'] ??
      fieldsOf(body['generationConfig'])['maxOutputTokens'] ??
      0,
  );

/** Statuses other than 400. */
const statuses: ReadonlyArray<readonly [RegExp, number]> = [
  [/^This model is only supported in v1\/responses/, 404],
  [/^k3-256k supports only/, 401],
];

export const statusOf = (text: string): number => statuses.find(([words]) => words.test(text))?.[1] ?? 400;

/** The first refusal. */
export const firstOf = (rules: readonly Rule[], body: Json): string | null => {
  for (const rule of rules) {
    const text = rule(body);
    if (text !== null) return text;
  }
  return null;
};

/**
 * Functions at chat completions unless the effort is `none`: gpt-5.4 and later. BerriAI/litellm#34569 (on the real API, July 2026),
 * pipecat#4043, LibreChat#14231 and #14355, opencode#40257 (Azure).
 */
export const functionsAtResponses: Rule = (body) =>
  list(body['tools']).length > 0 && body['reasoning_effort'] !== 'none'
    ? `Function tools with reasoning_effort are not supported for ${String(body['model'])} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`
    : null;

/** Status 404. Models named `-pro`, `-codex`, and gpt-6-astra: neuro-san#1311 (September 2026). */
export const responsesAlone: Rule = () =>
  'This model is only supported in v1/responses and not in v1/chat/completions.';

/** Fields that a model of OpenAI does not take: `stop` at gpt-5 (CrewAI 1.15.30, November 2026), `max_tokens` at all that reason. */
export const unsupported =
  (...names: readonly string[]): Rule =>
  (body) => {
    const name = names.find((each) => body[each] !== undefined);
    if (name === undefined) return null;
    const instead = name === 'max_tokens' ? " Use 'max_completion_tokens' instead." : '';
    return `Unsupported parameter: '${name}' is not supported with this model.${instead}`;
  };

/** OpenAI, for a field that it does not know at all: `usage` of OpenRouter's clients (November 2026). */
export const unrecognized =
  (known: readonly string[]): Rule =>
  (body) => {
    const name = Object.keys(body).find((each) => !known.includes(each));
    return name === undefined ? null : `Unrecognized request argument supplied: ${name}`;
  };

/** OpenAI until 2024 at least; Strands 1.62.0 sends it always (November 2026). */
export const emptyTools: Rule = ({ tools }) =>
  Array.isArray(tools) && tools.length === 0 ? "[] is too short - 'tools'" : null;

/** The limit of a model, in the words of its provider; `max` and `wanted` stand for the two figures. */
const maxOutput =
  (says: (max: number, wanted: number) => string) =>
  (max: number): Rule =>
  (body) => {
    const wanted = wantedOutput(body);
    return wanted > max ? says(max, wanted) : null;
  };

/** cline#8337, #13229 (August 2026), CLIProxyAPI#2758. */
export const maxOutputOfOpenAI = maxOutput(
  (max, wanted) =>
    `max_tokens is too large: ${wanted}. This model supports at most ${max} completion tokens, whereas you provided ${wanted}.`,
);
/** cc-haha#29 (2026). */
export const maxOutputOfDeepSeek = maxOutput(
  (max) => `Invalid max_tokens value, the valid range of max_tokens is [1, ${max}]`,
);
/** Alibaba's documentation of errors (November 2026). */
export const maxOutputOfQwen = maxOutput(
  (max) => `<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, ${max}]`,
);
/** Groq's API reference (November 2026). */
export const maxOutputOfGroq = maxOutput(
  (max) =>
    `\`max_tokens\` must be less than or equal to \`${max}\`, the maximum value for \`max_tokens\` is less than the \`context_window\` for this model`,
);
/** CLIProxyAPI#2758 (2026). */
export const maxOutputOfClaude = maxOutput(
  (max, wanted) =>
    `max_tokens: ${wanted} > ${max}, which is the maximum allowed number of output tokens for claude-sonnet-4-5`,
);
/** Google's forum, Vertex and Gemini API (2025 to November 2026). */
export const maxOutputOfGemini = maxOutput(
  (max, wanted) =>
    `Unable to submit request because it has a maxOutputTokens value of ${wanted} but the supported range is from 1 (inclusive) to ${max + 1} (exclusive). Update the value and try again.`,
);

/** Status 400 with code 3230: mistral-common#169, zed#37021 (April 2026), avante.nvim#2695, hermes-agent#84944; vLLM has the same validator. */
export const userAfterTool: Rule = (body) =>
  messagesOf(body).some(({ role }, index, all) => role === 'user' && all[index - 1]?.['role'] === 'tool')
    ? "Unexpected role 'user' after role 'tool'"
    : null;

/** The template of Qwen 3.5 and later: ollama#17774, vllm#41114, Qwen3.8#186 (2026). */
export const laterInstructions: Rule = (body) =>
  messagesOf(body).some(({ role }, index) => role === 'system' && index > 0)
    ? 'System message must be at the beginning.'
    : null;

/** kimi-cli#2141, hermes-agent#15478 and #15792, routatic/proxy#34 (April and May 2026): DeepSeek V4, wherever it runs. */
export const everyThought: Rule = (body) =>
  messagesOf(body).some(({ role, reasoning_content: thought }) => role === 'assistant' && !thought)
    ? 'The `reasoning_content` in the thinking mode must be passed back to the API.'
    : null;

/** DeepSeek and Moonshot, for a turn with calls (api-docs.deepseek.com, 2026). */
export const thoughtsOfCalls: Rule = (body) =>
  messagesOf(body).some((message) => list(message['tool_calls']).length > 0 && !message['reasoning_content'])
    ? 'thinking is enabled but reasoning_content is missing in assistant tool call message'
    : null;

/**
 * Calls that the output limit cut off: codegraff#752, kimi-cli#1171 and #2165, windmill#9902, MiniMax-AI/cli#235, oh-my-pi#11104 (to
 * November 2026), at vLLM, MiniMax, DeepSeek and others.
 */
export const brokenArguments: Rule = (body) =>
  messagesOf(body)
    .flatMap((message) => list(message['tool_calls']))
    .every((call) => isJson(fieldsOf(call['function'])['arguments']))
    ? null
    : 'invalid function arguments json string';

const isJson = (text: unknown): boolean => {
  try {
    return typeof JSON.parse(String(text)) === 'object';
  } catch {
    return false;
  }
};

const missing = (calls: readonly unknown[], results: readonly unknown[]): unknown[] =>
  calls.filter((id) => !results.includes(id));

/**
 * A call without its result, as an agent that was stopped in its middle sends it: tidyverse/ellmer#459 (OpenAI), kimi-code#269 (June
 * 2026, Moonshot and DeepSeek).
 */
export const missingResults: Rule = (body) => {
  const messages = messagesOf(body);
  for (const [index, message] of messages.entries()) {
    const calls = list(message['tool_calls']).map(({ id }) => id);
    const end = messages.findIndex(({ role }, at) => at > index && role !== 'tool');
    const results = messages.slice(index + 1, end === -1 ? undefined : end).map(({ tool_call_id: id }) => id);
    const ids = missing(calls, results);
    if (ids.length > 0)
      return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(', ')}`;
  }
  return null;
};

/** A call without its result, at MiniMax: openaidy#400 (July 2026). */
export const missingResultsOfMiniMax: Rule = (body) =>
  missingResults(body) === null ? null : 'invalid params, tool call result does not follow tool call (2013)';

/** pi#4189, copilot-cli#3183, opencode#5750 (to July 2026), also through Vertex. */
export const missingResultsOfClaude: Rule = (body) => {
  for (const [index, message] of messagesOf(body).entries()) {
    const calls = list(message['content']).flatMap(({ type, id }) => (type === 'tool_use' ? [id] : []));
    const next = list(messagesOf(body)[index + 1]?.['content']);
    const ids = missing(
      calls,
      next.map(({ tool_use_id: id }) => id),
    );
    if (ids.length > 0)
      return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
  }
  return null;
};

/** cc-switch#1181, maple-proxy#18 (February 2026): a session that a model of another maker began. */
export const callIds: Rule = (body) => {
  for (const [index, message] of messagesOf(body).entries()) {
    for (const [at, { type, id, tool_use_id: called }] of list(message['content']).entries()) {
      const place = `messages.${index}.content.${at}`;
      const isWrong = (value: unknown): boolean => value !== undefined && !/^[a-zA-Z0-9_-]+$/.test(textOf(value));
      if (type === 'tool_use' && isWrong(id))
        return `${place}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
      if (type === 'tool_result' && isWrong(called))
        return `${place}.tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
    }
  }
  return null;
};

/** A call without its output, at Responses: codex#394, codex-lb#1168 (July 2026). */
export const missingOutputs: Rule = (body) => {
  const input = list(body['input']);
  const outputs = input.flatMap(({ type, call_id: id }) => (String(type).endsWith('_call_output') ? [id] : []));
  const call = input.find(
    ({ type, call_id: id }) => ['function_call', 'custom_tool_call'].includes(String(type)) && !outputs.includes(id),
  );
  return call
    ? `No tool output found for ${call['type'] === 'function_call' ? 'function' : 'custom tool'} call ${String(call['call_id'])}.`
    : null;
};

/** vscode#299295 (March 2026), gemini-cli#6379. Gemini CLI itself repeats a result when it resumes a session. */
export const missingResponses: Rule = (body) => {
  const contents = list(body['contents']);
  const isMissing = contents.slice(1).some((content, index) => {
    const calls = list(contents[index]?.['parts']).filter(({ functionCall }) => functionCall);
    return list(content['parts']).filter(({ functionResponse }) => functionResponse).length < calls.length;
  });
  return isMissing
    ? 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'
    : null;
};

/** Chat completions of OpenAI, for the flat tools of Responses that Cursor sends: helicone#5629, bifrost#5773 (August 2026). */
export const flatTools: Rule = ({ tools }) => {
  const index = list(tools).findIndex(({ type, function: called }) => type === 'function' && called === undefined);
  return index === -1 ? null : `Missing required parameter: 'tools[${index}].function'.`;
};

/** A prompt that is longer than the model's context, as a number of characters (claude-code-router#1799, September 2026). */
export const overflow =
  (characters: number, says: string): Rule =>
  (body) =>
    JSON.stringify(body).length > characters ? says : null;

/** claude-code-router#1799 (September 2026), mulder#192, cc-haha#1162: the words of each provider. Moonshot says it with status 401. */
export const overflowWords = {
  OpenAI: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
  vLLM: "This model's maximum context length is 102400 tokens. However, you requested 107837 tokens (99645 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
  Anthropic: 'prompt is too long: 210000 tokens > 200000 maximum',
  Gemini: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  Kimi: 'k3-256k supports only 256K context.',
} as const;

/** LibreChat-AI/agents#124 (measured), opencode#31259, goose#7343, claude-code#23440 (2026): a message of Claude's that has no other text. */
export const blankTexts: Rule = (body) => {
  const isBlank = ({ type, text }: Json): boolean => type === 'text' && String(text).trim() === '';
  const blank = messagesOf(body).some(({ content }) =>
    typeof content === 'string' ? content.trim() === '' : list(content).some(isBlank),
  );
  return blank || list(body['system']).some(isBlank)
    ? 'messages: text content blocks must contain non-whitespace text'
    : null;
};

/** codex2api#613 (measured on Opus 5: an empty or cut one is refused), krouter#11, llxprt-code#2335, CLIProxyAPI#2172 (2026). */
export const signatures: Rule = (body) => {
  for (const [at, message] of messagesOf(body).entries()) {
    const index = list(message['content']).findIndex(
      ({ type, signature }) => type === 'thinking' && !/^EvQB/.test(String(signature)),
    );
    if (index !== -1) return `messages.${at}.content.${index}: Invalid \`signature\` in \`thinking\` block`;
  }
  return null;
};

/**
 * Anthropic's older models (claude-agent-sdk-typescript#350: Haiku 4.5, while Opus 4.8 takes it), and other hosts of Messages:
 * CLIProxyAPI#3608, copilot-api#273, claude-code#77698 (2026).
 */
export const instructionsInTurns: Rule = (body) =>
  messagesOf(body).some(({ role }) => role !== 'user' && role !== 'assistant')
    ? 'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.'
    : null;

/** claude-code#70563, #46105, #13770, t3code#1225 (2026): a host that does not know the beta. */
export const unknownBetas = (betas: readonly string[], known: readonly string[]): string | null => {
  const unknown = betas.filter((each) => each !== '' && !known.includes(each));
  return unknown.length === 0
    ? null
    : `Unexpected value(s) ${unknown.map((each) => `\`${each}\``).join(', ')} for the \`anthropic-beta\` header. Please consult our documentation at docs.anthropic.com or try again without the header.`;
};

/** The beta mid-conversation-tool-changes-2026-07-01, which @anthropic-ai/sdk 1.14 builds, where it is not known (November 2026). */
export const toolChanges: Rule = (body) =>
  messagesOf(body).some(({ content }) =>
    list(content).some(({ type }) => type === 'tool_addition' || type === 'tool_removal'),
  )
    ? "messages.1.content.0: Input tag 'tool_addition' found using 'type' does not match any of the expected tags: 'text', 'image', 'tool_use', 'tool_result'"
    : null;

/** Line breaks within the base64 of an image: not seen in a report, and cleaned as a precaution (November 2026). */
export const brokenBase64: Rule = (body) =>
  messagesOf(body).some(({ content }) =>
    list(content).some(({ source }) => /\s/.test(textOf(fieldsOf(source)['data']))),
  )
    ? 'messages.0.content.0.image.source.base64: invalid base64 data'
    : null;

const hasKey = (value: unknown, names: readonly string[]): string | null => {
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    if (!Array.isArray(value) && names.includes(name)) return name;
    const found = hasKey(inner, names);
    if (found !== null) return found;
  }
  return null;
};

/** Gemini 3 looks a `$ref` in a result up: BerriAI/litellm#38223, hermes-agent#93014, vercel/ai#14369 (2026). */
export const referencesInResults: Rule = (body) =>
  list(body['contents']).some((content) =>
    list(content['parts']).some(
      ({ functionResponse: result }) => hasKey(fieldsOf(result)['response'], ['$ref']) !== null,
    ),
  )
    ? 'Invalid value at functionResponse.response: reference $ref could not be resolved to a part with this display name'
    : null;

/** `parameters` is Google's own subset of JSON schema (ai.google.dev, "Function calling", November 2026); any-llm#1094. */
export const ownSchema: Rule = (body) => {
  const refused = hasKey(
    list(body['tools']).map(({ functionDeclarations }) =>
      list(functionDeclarations).map(({ parameters }) => parameters),
    ),
    ['$schema', 'additionalProperties', '$ref', '$defs', 'const', 'exclusiveMinimum'],
  );
  return refused === null ? null : `Invalid JSON payload received. Unknown name "${refused}" at 'tools'`;
};

/**
 * Google's own subset has texts alone in an enum, none of them empty, and wants their type: CLIProxyAPI#1076, azure-devops-mcp#139,
 * 9router#359 and #380 (2025 to March 2026).
 */
export const textsInEnums: Rule = (body) => {
  const isWrong = (value: unknown): boolean => {
    if (typeof value !== 'object' || value === null) return false;
    const { enum: choices, type } = value as Json;
    if (Array.isArray(choices) && choices.some((each) => typeof each !== 'string' || each === '')) return true;
    if (Array.isArray(choices) && textOf(type).toLowerCase() !== 'string') return true;
    return Object.values(value).some(isWrong);
  };
  const own = list(body['tools']).map(({ functionDeclarations: declared }) =>
    list(declared).map(({ parameters }) => parameters),
  );
  return isWrong(own)
    ? "Invalid value at 'tools[0].function_declarations[0].parameters.properties[0].value.enum[0]' (TYPE_STRING), 1"
    : null;
};

/** CLIProxyAPI#5713 (September 2026), helm-api#885: OpenAI takes thoughts with its own proof alone, and without their text. */
export const foreignThoughts: Rule = (body) => {
  const input = list(body['input']);
  const withText = input.findIndex(({ type, content }) => type === 'reasoning' && list(content).length > 0);
  if (withText !== -1)
    return `Invalid 'input[${withText}].content': array too long. Expected an array with maximum length 0, but got an array with length 1 instead.`;
  const foreign = input.find(
    ({ type, encrypted_content: proof }) =>
      type === 'reasoning' && proof !== undefined && !textOf(proof).startsWith('gAAAA'),
  );
  return foreign
    ? `The encrypted content ${String(foreign['encrypted_content']).slice(0, 4)}... could not be verified. Reason: Encrypted content could not be decrypted or parsed.`
    : null;
};
