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

type EachText = (text: string) => string;

function walk(value: unknown, depth: number, besides: ReadonlySet<string>, each: EachText): unknown {
  if (typeof value === 'string') return value === '' ? value : each(value);
  if (typeof value !== 'object' || value === null || depth > maxDepth) return value;
  if (Array.isArray(value)) return (value as unknown[]).map((entry) => walk(entry, depth + 1, besides, each));
  const copy: Record<string, unknown> = {};
  // A document of Anthropic may be plain text in place of base64.
  const holdsText = 'type' in value && value.type === 'text';
  for (const [name, entry] of Object.entries(value)) {
    const isKept = (kept.has(name) && !(holdsText && name === 'data')) || besides.has(name);
    copy[name] = (isKept ? walkBelow : walk)(entry, depth + 1, besides, each);
  }
  return copy;
}

/** A kept field keeps its texts, but not those of objects in it: tools choose the names in their arguments and results. */
function walkBelow(value: unknown, depth: number, besides: ReadonlySet<string>, each: EachText): unknown {
  if (typeof value === 'string') return value;
  return Array.isArray(value)
    ? (value as unknown[]).map((entry) => walkBelow(entry, depth + 1, besides, each))
    : walk(value, depth, besides, each);
}
