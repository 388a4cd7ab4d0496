import { writeJson } from '../../../shared/exact-json.js';
import { InvalidInputError } from '../../../shared/errors.js';
import { FieldReader } from '../../neutral/field-reader.js';
import { asFields, type Fields, type Json } from '../../neutral/fields.js';
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
  const system = toBlocks(optionalList(read.get('system'), 'system'), 'system');
  const stops = inference.texts('stopSequences');
  const format = toFormat(read.fields('outputConfig'));
  const given = read.fields('additionalModelRequestFields') ?? {};
  return {
    ...given,
    ...present({
      max_tokens: inference.count('maxTokens'),
      temperature: inference.number('temperature'),
      top_p: inference.number('topP'),
      stop_sequences: stops.length > 0 ? stops : undefined,
      system: system.length > 0 ? system : undefined,
      output_config: format ? { ...asFields(given['output_config']), format } : undefined,
    }),
    ...toTools(read.fields('toolConfig')),
    messages: read.list('messages').map(toTurn),
  };
}

/** Without fields that are undefined. */
const present = (fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

function toTurn(value: unknown, index: number): Json {
  const at = `messages[${index}]`;
  const turn = needFields(value, at);
  const role = needOneOf(turn['role'], ['user', 'assistant'], `${at}.role`);
  return { role, content: toBlocks(needList(turn['content'], `${at}.content`), `${at}.content`) };
}

/** A cache point ends the prefix that is cached: in Messages it is a field of the block before it, which is no reasoning. */
function toBlocks(list: readonly unknown[], at: string): Json[] {
  const blocks: Json[] = [];
  for (const [index, value] of list.entries()) {
    const [kind, given, where] = unionAt(value, `${at}[${index}]`);
    if (kind === 'cachePoint') markCached(blocks, given, where);
    else blocks.push(toBlock(kind, given, where));
  }
  return blocks;
}

function markCached(blocks: readonly Json[], point: unknown, at: string): void {
  const ttl = optionalText(needFields(point, at)['ttl'], `${at}.ttl`);
  const last = blocks.findLast(({ type }) => type !== 'thinking' && type !== 'redacted_thinking');
  if (last) last['cache_control'] = present({ type: 'ephemeral', ttl });
}

/** Returns the one member of a union of AWS's, and its place. */
function unionAt(value: unknown, at: string): [kind: string, given: unknown, where: string] {
  const members = Object.entries(needFields(value, at)).filter(([, member]) => member !== undefined && member !== null);
  const [first, ...others] = members;
  if (!first || others.length > 0) throw new InvalidInputError(`${at} must have exactly one member`, at);
  return [...first, `${at}.${first[0]}`];
}

function toBlock(kind: string, given: unknown, at: string): Json {
  if (kind === 'text') return { type: 'text', text: needText(given, at) };
  const fields = needFields(given, at);
  switch (kind) {
    case 'image':
      return { type: 'image', source: toImage(fields, at) };
    case 'document':
      return toDocument(fields, at);
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
        content: toResult(fields, `${at}.content`),
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

const imageFormats = ['png', 'jpeg', 'gif', 'webp'] as const;

function toImage(image: Fields, at: string): Json {
  const format = needOneOf(image['format'], imageFormats, `${at}.format`);
  return { type: 'base64', media_type: `image/${format}`, data: bytesOf(image['source'], `${at}.source`) };
}

/** Bedrock reads objects of S3 with the rights of an AWS account, which a key of this site does not have. */
function bytesOf(source: unknown, at: string): string {
  const [kind, bytes, where] = unionAt(source, at);
  if (kind !== 'bytes') throw new InvalidInputError(`${where} is not supported here: send bytes`, where);
  return needName(bytes, where);
}

const textFormats = ['txt', 'md', 'csv', 'html'] as const;

function toDocument(document: Fields, at: string): Json {
  const { context, citations } = document;
  return present({
    type: 'document',
    source: toDocumentSource(document, at),
    title: optionalText(document['name'], `${at}.name`),
    context: optionalText(context, `${at}.context`),
    citations: citations ?? undefined,
  });
}

function toDocumentSource(document: Fields, at: string): Json {
  const [kind, given, where] = unionAt(document['source'], `${at}.source`);
  if (kind === 'text') return { type: 'text', media_type: 'text/plain', data: needText(given, where) };
  if (kind === 'content') return { type: 'content', content: toBlocks(needList(given, where), where) };
  const format = needOneOf(document['format'], ['pdf', ...textFormats], `${at}.format`);
  const data = bytesOf(document['source'], `${at}.source`);
  if (format === 'pdf') return { type: 'base64', media_type: 'application/pdf', data };
  return { type: 'text', media_type: 'text/plain', data: Buffer.from(data, 'base64').toString('utf8') };
}

/** JSON in a result is text in Messages. */
function toResult(result: Fields, at: string): Json[] {
  return needList(result['content'], at).map((value, index) => {
    const [kind, given, where] = unionAt(value, `${at}[${index}]`);
    return kind === 'json' ? { type: 'text', text: writeJson(given) } : toBlock(kind, given, where);
  });
}

function toThought(reasoning: Fields, at: string): Json {
  const [kind, given, where] = unionAt(reasoning, at);
  if (kind === 'redactedContent')
    return { type: 'redacted_thinking', data: Buffer.from(needName(given, where), 'base64').toString('utf8') };
  const { text, signature } = needFields(given, where);
  return present({
    type: 'thinking',
    thinking: needText(text, `${where}.text`),
    signature: optionalText(signature, `${where}.signature`),
  });
}

const citedText = (cited: Fields, at: string): string =>
  needList(cited['content'], at)
    .map((part, index) => needText(needFields(part, `${at}[${index}]`)['text'], `${at}[${index}].text`))
    .join('');

function toTools(config: Fields | undefined): Json {
  if (!config) return {};
  const tools: Json[] = [];
  for (const [index, value] of needList(config['tools'], 'toolConfig.tools').entries()) {
    const [kind, given, at] = unionAt(value, `toolConfig.tools[${index}]`);
    if (kind === 'cachePoint') markCached(tools, given, at);
    else if (kind === 'toolSpec') tools.push(toTool(needFields(given, at), at));
    else throw new InvalidInputError(`${at} is not supported here`, at);
  }
  const choice = config['toolChoice'];
  return { tools, ...(choice === undefined || choice === null ? {} : { tool_choice: toChoice(choice) }) };
}

const toTool = (spec: Fields, at: string): Json =>
  present({
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
  return { type: 'json_schema', schema: schemaIn(needText(schema, `${where}.schema`), `${where}.schema`) };
}

function schemaIn(text: string, at: string): Fields {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new InvalidInputError(`${at} must be JSON`, at);
  }
  return needFields(parsed, at);
}
