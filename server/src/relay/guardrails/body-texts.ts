/** Fields that hold media, ids and names of the protocol. A masked part of them would break the call. */
const kept: ReadonlySet<string> = new Set([
  ...['data', 'image_url', 'file_data', 'b64_json', 'url', 'signature', 'thoughtSignature', 'encrypted_content'],
  ...['model', 'role', 'type', 'id', 'call_id', 'tool_call_id', 'tool_use_id', 'item_id', 'previous_response_id'],
  ...['object', 'name', 'format', 'mimeType', 'mime_type', 'media_type', 'finish_reason', 'stop_reason', 'status'],
  ...['finishReason', 'system_fingerprint', 'responseId', 'modelVersion', 'prompt_cache_key', 'created_at'],
]);
const maxDepth = 32;

const noNames: ReadonlySet<string> = new Set();

/** All texts of a request or a response in any dialect, in a fixed order. @param besides further fields that are left out */
export function bodyTexts(value: unknown, besides = noNames): string[] {
  const texts: string[] = [];
  walk(value, 0, besides, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}

/** The same value with these texts, in the order of `bodyTexts`. */
export function withTexts<Value>(value: Value, texts: readonly string[], besides = noNames): Value {
  let at = 0;
  return walk(value, 0, besides, (text) => texts[at++] ?? text) as Value;
}

function walk(value: unknown, depth: number, besides: ReadonlySet<string>, each: (text: string) => string): unknown {
  if (typeof value === 'string') return value === '' ? value : each(value);
  if (typeof value !== 'object' || value === null || depth > maxDepth) return value;
  if (Array.isArray(value)) return (value as unknown[]).map((entry) => walk(entry, depth + 1, besides, each));
  const copy: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(value))
    copy[name] = kept.has(name) || besides.has(name) ? entry : walk(entry, depth + 1, besides, each);
  return copy;
}
