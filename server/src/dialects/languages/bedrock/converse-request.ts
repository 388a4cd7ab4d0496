import { writeJson } from '../../../shared/exact-json.js';
import { InvalidInputError } from '../../../shared/errors.js';
import { parseJson } from '../../../shared/json.js';
import { omitUndefined } from '../../../shared/omit-undefined.js';
import { FieldReader } from '../../neutral/field-reader.js';
import { asFields, asList, type Fields, type Json } from '../../neutral/fields.js';
import {
  needFields,
  needList,
  needName,
  needOneOf,
  needText,
  optionalList,
  optionalText,
} from '../../neutral/given.js';

/**
 * Translates a body of Bedrock's Converse into Messages, which has everything that Converse can say of a conversation.
 * `additionalModelRequestFields` are fields of the model's own dialect, so they become fields of Messages. Fields that tune
 * Bedrock itself are left out (docs/reference/relay/routes.md#paths-of-hosts).
 * @throws AppError INVALID_INPUT naming the field of Converse
 */
export function toMessagesBody(body: Fields): Json {
  const read = new FieldReader(body);
  for (const name of ['guardrailConfig', 'promptVariables'])
    if (read.get(name) !== undefined) throw new InvalidInputError(`${name} is not supported here`, name);
  const inference = new FieldReader(read.fields('inferenceConfig') ?? {}, 'inferenceConfig.');
  const blocks = new BlockReader();
  const system = blocks.list(optionalList(read.get('system'), 'system'), 'system');
  const stops = inference.texts('stopSequences');
  const format = toFormat(read.fields('outputConfig'));
  const given = read.fields('additionalModelRequestFields') ?? {};
  return {
    ...given,
    ...omitUndefined({
      max_tokens: inference.count('maxTokens'),
      temperature: inference.number('temperature'),
      top_p: inference.number('topP'),
      stop_sequences: stops.length > 0 ? stops : undefined,
      system: system.length > 0 ? system : undefined,
      output_config: format ? { ...asFields(given['output_config']), format } : undefined,
    }),
    ...toTools(read.fields('toolConfig'), asList(given['tools'])),
    messages: read.list('messages').map((value, index) => {
      const at = `messages[${index}]`;
      const turn = needFields(value, at);
      const role = needOneOf(turn['role'], ['user', 'assistant'], `${at}.role`);
      return { role, content: blocks.list(needList(turn['content'], `${at}.content`), `${at}.content`) };
    }),
  };
}

/** A cache point ends the prefix that is cached: in Messages it is a field of the block before it. */
function markCached(last: Json | undefined, point: unknown, at: string): void {
  const ttl = optionalText(needFields(point, at)['ttl'], `${at}.ttl`);
  if (last) last['cache_control'] = omitUndefined({ type: 'ephemeral', ttl });
}

/** Returns the one member of a union of AWS's, and its place. */
function unionAt(value: unknown, at: string): [kind: string, given: unknown, where: string] {
  const members = Object.entries(needFields(value, at)).filter(([, member]) => member !== undefined && member !== null);
  const [first, ...others] = members;
  if (!first || others.length > 0) throw new InvalidInputError(`${at} must have exactly one member`, at);
  return [...first, `${at}.${first[0]}`];
}

const imageFormats = ['png', 'jpeg', 'gif', 'webp'] as const;

function toImage(image: Fields, at: string): Json {
  const format = needOneOf(image['format'], imageFormats, `${at}.format`);
  return { type: 'base64', media_type: `image/${format}`, data: bytesOf(unionAt(image['source'], `${at}.source`)) };
}

/** Bedrock reads objects of S3 with the rights of an AWS account, which a key of this site does not have. */
function bytesOf([kind, bytes, where]: ReturnType<typeof unionAt>): string {
  if (kind !== 'bytes') throw new InvalidInputError(`${where} is not supported here: send bytes`, where);
  return needName(bytes, where);
}

const textFormats = ['txt', 'md', 'csv', 'html'] as const;

/** Base64 characters of all text documents of a request: 4.5 MB, Bedrock's limit for one. */
const maxTextDocuments = 6 * 1024 * 1024;

/** Reads the blocks of one request. */
class BlockReader {
  private textDocuments = 0;

  list(values: readonly unknown[], at: string): Json[] {
    const blocks: Json[] = [];
    // Reasoning cannot be marked.
    let last: Json | undefined;
    for (const [index, value] of values.entries()) {
      const [kind, given, where] = unionAt(value, `${at}[${index}]`);
      if (kind === 'cachePoint') {
        markCached(last, given, where);
        continue;
      }
      const block = this.block(kind, given, where);
      blocks.push(block);
      if (kind !== 'reasoningContent') last = block;
    }
    return blocks;
  }

  private block(kind: string, given: unknown, at: string): Json {
    if (kind === 'text') return { type: 'text', text: needText(given, at) };
    const fields = needFields(given, at);
    switch (kind) {
      case 'image':
        return { type: 'image', source: toImage(fields, at) };
      case 'document':
        return this.document(fields, at);
      case 'toolUse':
        return {
          type: 'tool_use',
          id: needName(fields['toolUseId'], `${at}.toolUseId`),
          name: needName(fields['name'], `${at}.name`),
          input: needFields(fields['input'] ?? {}, `${at}.input`),
        };
      case 'toolResult':
        return {
          type: 'tool_result',
          tool_use_id: needName(fields['toolUseId'], `${at}.toolUseId`),
          content: this.result(fields, `${at}.content`),
          ...(fields['status'] === 'error' ? { is_error: true } : {}),
        };
      case 'reasoningContent':
        return toThought(fields, at);
      case 'citationsContent':
        return { type: 'text', text: citedText(fields, `${at}.content`) };
      default:
        throw new InvalidInputError(`${at} is not supported here`, at);
    }
  }

  private document(document: Fields, at: string): Json {
    const { context, citations } = document;
    return omitUndefined({
      type: 'document',
      source: this.documentSource(document, at),
      title: optionalText(document['name'], `${at}.name`),
      context: optionalText(context, `${at}.context`),
      citations: citations ?? undefined,
    });
  }

  private documentSource(document: Fields, at: string): Json {
    const source = unionAt(document['source'], `${at}.source`);
    const [kind, given, where] = source;
    if (kind === 'text') return { type: 'text', media_type: 'text/plain', data: needText(given, where) };
    if (kind === 'content') return { type: 'content', content: this.list(needList(given, where), where) };
    const format = needOneOf(document['format'], ['pdf', ...textFormats], `${at}.format`);
    const data = bytesOf(source);
    if (format === 'pdf') return { type: 'base64', media_type: 'application/pdf', data };
    return { type: 'text', media_type: 'text/plain', data: this.documentText(data, where) };
  }

  private documentText(data: string, at: string): string {
    this.textDocuments += data.length;
    if (this.textDocuments > maxTextDocuments)
      throw new InvalidInputError(`${at}: text documents are limited to 4.5 MB`, at);
    const text = textOf(data, at);
    if (controls.test(text)) throw new InvalidInputError(`${at} must be text`, at);
    return text;
  }

  /** JSON in a result is text in Messages. */
  private result(result: Fields, at: string): Json[] {
    return needList(result['content'], at).map((value, index) => {
      const [kind, given, where] = unionAt(value, `${at}[${index}]`);
      return kind === 'json' ? { type: 'text', text: writeJson(given) } : this.block(kind, given, where);
    });
  }
}

/** Characters that no text has. JSON writes each as six. */
const controls = /[^\P{Cc}\t\n\f\r]/u;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws AppError INVALID_INPUT when the bytes are no UTF-8 */
function textOf(base64: string, at: string): string {
  try {
    return decoder.decode(Buffer.from(base64, 'base64'));
  } catch {
    throw new InvalidInputError(`${at} must be UTF-8`, at);
  }
}

function toThought(reasoning: Fields, at: string): Json {
  const [kind, given, where] = unionAt(reasoning, at);
  if (kind === 'redactedContent') return { type: 'redacted_thinking', data: textOf(needName(given, where), where) };
  const { text, signature } = needFields(given, where);
  return omitUndefined({
    type: 'thinking',
    thinking: needText(text, `${where}.text`),
    signature: optionalText(signature, `${where}.signature`),
  });
}

const citedText = (cited: Fields, at: string): string =>
  needList(cited['content'], at)
    .map((part, index) => needText(needFields(part, `${at}[${index}]`)['text'], `${at}[${index}].text`))
    .join('');

/** @param others tools of the model's own dialect */
function toTools(config: Fields | undefined, others: readonly unknown[]): Json {
  if (!config) return {};
  const tools: Json[] = [];
  for (const [index, value] of needList(config['tools'], 'toolConfig.tools').entries()) {
    const [kind, given, at] = unionAt(value, `toolConfig.tools[${index}]`);
    if (kind === 'cachePoint') markCached(tools.at(-1), given, at);
    else if (kind === 'toolSpec') tools.push(toTool(needFields(given, at), at));
    else throw new InvalidInputError(`${at} is not supported here`, at);
  }
  const choice = config['toolChoice'];
  return {
    tools: [...others, ...tools],
    ...(choice === undefined || choice === null ? {} : { tool_choice: toChoice(choice) }),
  };
}

const toTool = (spec: Fields, at: string): Json =>
  omitUndefined({
    name: needName(spec['name'], `${at}.name`),
    description: optionalText(spec['description'], `${at}.description`),
    input_schema: needFields(needFields(spec['inputSchema'], `${at}.inputSchema`)['json'], `${at}.inputSchema.json`),
    strict: spec['strict'] ?? undefined,
  });

function toChoice(value: unknown): Json {
  const [kind, given, at] = unionAt(value, 'toolConfig.toolChoice');
  const type = needOneOf(kind, ['auto', 'any', 'tool'], 'toolConfig.toolChoice');
  return type === 'tool' ? { type, name: needName(needFields(given, at)['name'], `${at}.name`) } : { type };
}

/** The schema of the output, which is JSON in a text. */
function toFormat(config: Fields | undefined): Json | undefined {
  if (config?.['textFormat'] === undefined) return undefined;
  const at = 'outputConfig.textFormat';
  const format = needFields(config['textFormat'], at);
  needOneOf(format['type'], ['json_schema'], `${at}.type`);
  const where = `${at}.structure.jsonSchema`;
  const { schema } = needFields(needFields(format['structure'], `${at}.structure`)['jsonSchema'], where);
  return { type: 'json_schema', schema: needFields(parseJson(needText(schema, `${where}.schema`)), `${where}.schema`) };
}
