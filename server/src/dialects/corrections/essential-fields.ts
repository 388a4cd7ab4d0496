/**
 * Fields without which a call would mean something else, by the last name of their path. A refusal that names one of them goes to
 * the client.
 */
const essential: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'input', 'contents', 'prompt', 'system', 'system_instruction', 'systemInstruction'],
  ...[
    'instructions',
    'tools',
    'functions',
    'tool_choice',
    'function_call',
    'tool_config',
    'toolConfig',
    'functionCall',
  ],
  ...[
    'function_declarations',
    'functionDeclarations',
    'function_response',
    'functionResponse',
    'function',
    'functions',
  ],
  ...['response_format', 'output_format', 'format', 'text', 'schema', 'json_schema', 'responseSchema'],
  ...['responseJsonSchema', 'responseMimeType', 'response_schema', 'response_mime_type', 'generationConfig'],
  ...['n', 'candidateCount', 'modalities', 'responseModalities', 'audio', 'stream', 'max_tokens', 'content', 'parts'],
  ...['role', 'type', 'name', 'arguments', 'args', 'id', 'call_id', 'tool_call_id', 'tool_use_id', 'tool_calls'],
  ...['input_schema', 'parameters', 'parametersJsonSchema', 'properties', 'required', 'items', 'enum', '$ref', '$defs'],
  ...['source', 'data', 'url', 'image_url', 'file', 'file_id', 'inline_data', 'inlineData', 'fileData', 'output'],
  ...['web_search_options', 'plugins', 'search_parameters', 'mcp_servers', 'container', 'fallbacks', 'cachedContent'],
  ...['previous_response_id', 'conversation', 'background'],
]);

/** Whether a call can do without the field at this path. */
export const isOptional = (path: readonly string[]): boolean => {
  const last = path.at(-1);
  return last !== undefined && last !== '*' && !essential.has(last);
};
