import { always, areShared, asFields, asList, asText, isEmpty, ofEachPart, type Fields } from '../neutral/fields.js';
import { malformed } from '../errors/relay-error.js';
import { isMadeId } from './responses/response-object.js';

// The ids of what a provider keeps for its account: clients name them in requests, and get them in responses.

/** Whether a value is an id: its object has some property, such as a type, or the value has the form of an id. */
type IdCondition = (holder: Fields, value: unknown) => boolean;

/**
 * A field that holds an id: names separated by dots, `[]` after a list, `*` for every other field of an object, `**` for
 * what is at any depth. A second entry limits it to some objects or values.
 */
export type IdPath = readonly [path: string, only?: IdCondition];

/** An id in a body. */
interface FoundId {
  /** The path of the field, such as `input[2].id`. */
  readonly field: string;
  readonly id: unknown;
}

interface Place {
  /** Conditions under which the value is an id. Without conditions it is not an id. */
  readonly ids: IdCondition[];
  readonly next: Map<string, Place>;
  /** Returns the ids in each part of a list of turns or tools, whose entries are at this place. */
  inParts?: (list: readonly unknown[]) => ReadonlyArray<readonly Found[]>;
}

const none: readonly never[] = [];
const newPlace = (): Place => ({ ids: [], next: new Map() });

/** Paths as one tree, so that a body is read once, and only at fields that may contain ids. */
class IdFields {
  private readonly root = newPlace();

  constructor(paths: readonly IdPath[]) {
    for (const [path, only = always] of paths) {
      let place = this.root;
      for (const name of path.replaceAll('[]', '.[]').split('.')) {
        // A place at any depth contains itself.
        if (name === '**') {
          place.next.set('*', place).set('[]', place);
          continue;
        }
        const known = place.next.get(name) ?? newPlace();
        place.next.set(name, known);
        place = known;
      }
      place.ids.push(only);
    }
  }

  /** Returns the values. Absent values and null are left out; all others are returned, even if they are not text. */
  in(body: Fields): readonly FoundId[] {
    const found: Found[] = [];
    readFields(body, this.root, found);
    if (found.length === 0) return none;
    return found.map(({ path, id }) => ({ field: path.reverse().join('').replace(/^\./, ''), id }));
  }
}

/** The path is built from the inner name outwards when an id is found, because most bodies have none. */
interface Found {
  readonly path: string[];
  readonly id: unknown;
}

function readFields(holder: Fields, place: Place, found: Found[]): void {
  for (const [name, next] of place.next) {
    if (name === '[]') continue;
    if (name !== '*') readField(holder, name, next, found);
    else for (const each of Object.keys(holder)) if (!place.next.has(each)) readField(holder, each, next, found);
  }
}

function readField(holder: Fields, name: string, place: Place, found: Found[]): void {
  const before = found.length;
  read(holder[name], holder, place, found);
  for (let at = before; at < found.length; at++) found[at]?.path.push(`.${name}`);
}

function read(value: unknown, holder: Fields, place: Place, found: Found[]): void {
  if (value === undefined || value === null) return;
  const entries = place.next.get('[]');
  if (Array.isArray(value) && entries) return readEntries(value as unknown[], holder, entries, found);
  const fields = Array.isArray(value) ? null : asFields(value);
  // Google reads an object in place of a list as its only entry.
  if (fields && entries && entries !== place) return read(value, holder, entries, found);
  // An id that may be an object contains the id as a field.
  if (fields && place.next.size > 0) return readFields(fields, place, found);
  const isId = (only: IdCondition): boolean => only(holder, value);
  if (place.ids.some(isId) || entries?.ids.some(isId) === true) found.push({ path: [], id: value });
}

function readEntries(list: readonly unknown[], holder: Fields, place: Place, found: Found[]): void {
  // Whether an entry is an id may depend on its holder. What is in an entry depends on the entry alone.
  if (place.ids.length > 0 || !areShared(list)) return readEach(list, 0, holder, place, found);
  place.inParts ??= ofEachPart((entries, from) => {
    const inPart: Found[] = [];
    readEach(entries, from, {}, place, inPart);
    return inPart;
  }, isEmpty);
  for (const part of place.inParts(list)) for (const { path, id } of part) found.push({ path: [...path], id });
}

/** @param from the index of the first entry */
function readEach(list: readonly unknown[], from: number, holder: Fields, place: Place, found: Found[]): void {
  for (let index = 0; index < list.length; index++) {
    const before = found.length;
    read(list[index], holder, place, found);
    for (let at = before; at < found.length; at++) found[at]?.path.push(`[${from + index}]`);
  }
}

/** Dialects in which clients name objects that their provider keeps. */
export type IdDialect = 'chat' | 'messages' | 'generate' | 'responses' | 'imageEdits' | 'interactions';

/** A field that names an object. */
export interface NamedText {
  readonly field: string;
  readonly id: string;
}

/** An object that a provider keeps for its account, named by a client. */
export interface NamedId extends NamedText {
  readonly dialect: IdDialect;
  /** Whether it is an id of Google, which its adapters send in every dialect. */
  readonly isGoogle: boolean;
  /**
   * Whether the object is part of a conversation, which belongs to the key that had it. Every other object belongs to
   * the key's owner.
   */
  readonly isConversation: boolean;
}

const isOfType =
  (...types: readonly string[]) =>
  ({ type }: Fields): boolean =>
    types.includes(asText(type));

/**
 * Whether an item is looked up by its id at the provider. Items that this server made are inserted or left out before a
 * provider is called.
 */
const isReference = ({ type, id, role, result, encrypted_content: encrypted }: Fields): boolean =>
  !isMadeId(id) &&
  (type === 'item_reference' ||
    // A reference may leave its type out, as messages may.
    ((type === undefined || type === null) && role === undefined) ||
    (type === 'image_generation_call' && !result) ||
    (type === 'reasoning' && typeof encrypted !== 'string'));

/**
 * Matches addresses of files that only the account of a provider can read: of Gemini, Moonshot (`ms:`), and DashScope
 * (`oss:`, `fileid:`). All other addresses are those of the web.
 */
const storedFile = /^(?:ms|oss|fileid):\/\//i;
const googleFile = /^https?:\/\/generativelanguage\.googleapis\.com\/.*files\//i;
const isStoredFile: IdCondition = (_holder, value) =>
  typeof value === 'string' && (storedFile.test(value) || googleFile.test(value));

/**
 * Matches a text that only names files of DashScope: Qwen-Long reads them
 * (https://help.aliyun.com/en/model-studio/long-context-qwen-long, November 2026). Texts that mention an address are
 * no ids.
 */
const filesOfQwen = /^\s*fileid:\/\/[^\s,]+(?:[\s,]+fileid:\/\/[^\s,]+)*[\s,]*$/i;
const namesFiles: IdCondition = (_holder, value) => typeof value === 'string' && filesOfQwen.test(value);

/** Ids in a list of tools of OpenAI and xAI. */
const toolPaths = (tools: string): IdPath[] => [
  [`${tools}.container`],
  [`${tools}.container.file_ids[]`],
  [`${tools}.environment.container_id`],
  [`${tools}.environment.file_ids[]`],
  [`${tools}.environment.skills[].skill_id`, ({ skill_id: id }) => !asText(id).startsWith('openai-')],
  [`${tools}.vector_store_ids[]`],
  [`${tools}.collection_ids[]`],
  [`${tools}.input_image_mask.file_id`],
];

const responsesPaths: readonly IdPath[] = [
  ['previous_response_id'],
  ['conversation'],
  ['conversation.id'],
  ['prompt.id'],
  ['prompt.variables.*.file_id'],
  ['input[].id', isReference],
  ['input[].content[].file_id'],
  ['input[].content[].file_url', isStoredFile],
  ['input[].content[].image_url', isStoredFile],
  ['input[].output[].file_id'],
  ['input[].output.file_id'],
  ['input[].container_id', isOfType('code_interpreter_call')],
  ['input[].environment.container_id'],
  // Items of the input may declare tools, and a namespace contains others.
  ...['tools[]', 'tools[].tools[]', 'input[].tools[]', 'input[].tools[].tools[]'].flatMap(toolPaths),
];

const messagesPaths: readonly IdPath[] = [
  ['thread.previous_message_id'],
  ['container'],
  ['container.id'],
  // Anthropic's own skills are available to every account.
  ['container.skills[].skill_id', ({ type }) => type !== 'anthropic'],
  ...['messages[].content[]', 'messages[].content[].content[]', 'messages[].content[].source.content[]'].flatMap(
    (block): IdPath[] => [
      [`${block}.source.file_id`],
      [`${block}.source.url`, isStoredFile],
      [`${block}.file_id`, isOfType('container_upload')],
    ],
  ),
];

/** Paths of ids in image edits as JSON. Forms contain the images themselves. */
const imageEditPaths: readonly IdPath[] = [
  ['images[].file_id'],
  ['image.file_id'],
  ['image[].file_id'],
  ['mask.file_id'],
];

/** Words of a realtime response that name the conversation of its session, or none. */
const ownConversations: ReadonlySet<unknown> = new Set(['auto', 'none']);

/** Paths of ids in one event of a realtime session. Items that it refers to belong to the session itself. */
const eventPaths: readonly IdPath[] = [
  ['item.content[].file_id'],
  ...['session', 'response'].flatMap((holder): IdPath[] => [
    [`${holder}.conversation`, (_holder, value) => !ownConversations.has(value)],
    [`${holder}.conversation.id`],
    [`${holder}.prompt.id`],
    [`${holder}.prompt.variables.*.file_id`],
    [`${holder}.voice.id`],
    [`${holder}.audio.output.voice.id`],
    [`${holder}.input[].content[].file_id`],
    ...toolPaths(`${holder}.tools[]`),
  ]),
];

/** Whether a value names a file of the account. Google reads other addresses from the web and from buckets. */
const isGeminiFile: IdCondition = (_holder, value) =>
  typeof value !== 'string' || /^(?:https?:\/\/generativelanguage\.googleapis\.com\/.*)?files\//i.test(value);

/** Google accepts snake case and camel case for each name. */
function inBothCases([path, only]: IdPath): IdPath[] {
  const names = path.split('.').map((name) => {
    const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return snake === name ? [name] : [name, snake];
  });
  const paths = names.reduce<string[]>(
    (begun, spellings) => spellings.flatMap((name) => begun.map((each) => (each === '' ? name : `${each}.${name}`))),
    [''],
  );
  return paths.map((each): IdPath => [each, only]);
}

const generatePaths: readonly IdPath[] = (
  [
    ['cachedContent'],
    ['contents[].parts[].fileData.fileUri', isGeminiFile],
    ['contents[].parts[].functionResponse.parts[].fileData.fileUri', isGeminiFile],
    ['systemInstruction.parts[].fileData.fileUri', isGeminiFile],
    ['tools[].fileSearch.fileSearchStoreNames[]'],
    ['tools[].retrieval.vertexAiSearch.datastore'],
    ['tools[].retrieval.vertexAiSearch.engine'],
    ['tools[].retrieval.vertexAiSearch.dataStoreSpecs[].dataStore'],
    ['tools[].retrieval.vertexRagStore.ragCorpora[]'],
    ['tools[].retrieval.vertexRagStore.ragResources[].ragCorpus'],
    ['tools[].retrieval.vertexRagStore.ragResources[].ragFileIds[]'],
  ] satisfies IdPath[]
).flatMap(inBothCases);

/** Names of the body itself are accepted in snake case alone. */
const interactionPaths: readonly IdPath[] = [
  ['previous_interaction_id'],
  // A token continues the work of the account that gave it.
  ['continuation_token'],
  ['cached_content'],
  // Turns, results of functions and summaries of thoughts contain media too.
  ['input.**.uri', isGeminiFile],
  // Arguments of a function may have any names, and Google reads no files in them.
  ['input.**.arguments', () => false],
  ...[
    'tools[].fileSearchStoreNames[]',
    'tools[].vertexAiSearchConfig.engine',
    'tools[].vertexAiSearchConfig.datastores[]',
  ].flatMap((path) => inBothCases([path])),
];

const chatPaths: readonly IdPath[] = [
  ['messages[].content[].file.file_id'],
  // Mistral.
  ['messages[].content[].file_id'],
  ['messages[].content[].image_url', isStoredFile],
  ['messages[].content[].image_url.url', isStoredFile],
  ['messages[].content[].video_url.url', isStoredFile],
  ['messages[].content', namesFiles],
  ['messages[].content[].text', namesFiles],
  ['messages[].audio.id'],
  ['audio.voice.id'],
  ...['google', 'extra_body.google'].flatMap((holder): IdPath[] => [
    [`${holder}.cachedContent`],
    [`${holder}.cached_content`],
  ]),
];

/** Paths of ids in bodies about kept objects: stores, containers, batches, conversations, caches. */
const objectPaths: readonly IdPath[] = [
  ['file_id'],
  ['file_ids[]'],
  ['files[].file_id'],
  ['input_file_id'],
  ...responsesPaths.flatMap(([path, only]): IdPath[] =>
    path.startsWith('input[]') ? [[path.replace(/^input/, 'items'), only]] : [],
  ),
  ...generatePaths,
];

/**
 * Every field by which a request can name an object that a provider keeps for its account. Objects that users cannot
 * name with an id of their own (public voices, models, connectors with a token of the client) are none.
 */
export const idPaths: Readonly<Record<IdDialect | 'event' | 'object', readonly IdPath[]>> = {
  chat: chatPaths,
  messages: messagesPaths,
  generate: generatePaths,
  responses: responsesPaths,
  imageEdits: imageEditPaths,
  interactions: interactionPaths,
  event: eventPaths,
  object: objectPaths,
};

const fieldsOf = Object.fromEntries(
  Object.entries(idPaths).map(([dialect, paths]) => [dialect, new IdFields(paths)]),
) as Readonly<Record<keyof typeof idPaths, IdFields>>;

const googleFields = /^(?:extra_body\.)?google\./;
const conversationFields =
  /^(?:previous_response_id|previous_interaction_id|continuation_token|thread\.previous_message_id|conversation(?:\.id)?|input(?:\[\d+\])?\.id)$/;

/**
 * Returns the ids in a client's body by which a provider finds objects that it keeps
 * (docs/reference/relay/access.md#ids-of-a-provider).
 * @param dialect absent for endpoints whose bodies cannot name any
 * @throws RelayError invalid_request for an id that is not a text
 */
export function namedIds(dialect: IdDialect | undefined, body: Fields): readonly NamedId[] {
  if (!dialect) return none;
  return textsAt(fieldsOf[dialect], body).map(({ field, id }) => ({
    dialect,
    field,
    id,
    isGoogle: googleFields.test(field) || googleFile.test(id),
    isConversation: conversationFields.test(field),
  }));
}

/** Returns the names in an event of a realtime session. */
export const namedByEvent = (event: Fields): readonly NamedText[] => textsAt(fieldsOf.event, event);

/** Returns the names in a body about a kept object. */
export const namedByObject = (body: Fields): readonly NamedText[] => textsAt(fieldsOf.object, body);

function textsAt(fields: IdFields, body: Fields): readonly NamedText[] {
  const found = fields.in(body).filter(({ id }) => id !== '');
  if (found.length === 0) return none;
  return found.map(({ field, id }) => {
    if (typeof id !== 'string') throw malformed(`${field} must be a text`);
    return { field, id };
  });
}

// The ids in responses, by which a client may name later what the provider keeps for it.

const ofStored = new IdFields([['id'], ['output[].id']]);
const ofResponse = new IdFields([
  ['output[].container_id'],
  ['output[].environment.container_id'],
  ['output[].content[].annotations[].container_id'],
  ['output[].content[].annotations[].file_id'],
]);
const ofMessage = new IdFields([['container.id'], ['content[].content.content[].file_id']]);
const ofThread = new IdFields([['id']]);

const ofChat = new IdFields([['choices[].message.audio.id']]);

const textsIn = (fields: IdFields, body: Fields): string[] =>
  fields.in(body).flatMap(({ id }) => (typeof id === 'string' && id !== '' ? [id] : []));

/** @param response a response of Responses; one that its provider does not store cannot be continued by its ids */
export const idsOfResponse = (response: Fields): readonly string[] => [
  ...(response['store'] === false ? [] : textsIn(ofStored, response)),
  ...textsIn(ofResponse, response),
];

const ofInteraction = new IdFields([['id'], ['continuation_token']]);

/** @param interaction a response of Interactions, or what an event of its stream has of it */
export const idsOfInteraction = (interaction: Fields): readonly string[] => textsIn(ofInteraction, interaction);

/** @param answer a response of chat completions, whose audio may be named in the next request */
export const idsOfChat = (answer: Fields): readonly string[] => textsIn(ofChat, answer);

/**
 * @param message a response of Messages
 * @param isThread whether the provider keeps the conversation by the id of the response
 */
export const idsOfMessage = (message: Fields, isThread: boolean): readonly string[] => [
  ...(isThread ? textsIn(ofThread, message) : []),
  ...textsIn(ofMessage, message),
];

/** Returns the ids in one event of a stream of Messages. */
export function idsOfMessageEvent(event: Fields, isThread: boolean): readonly string[] {
  const block = asFields(event['content_block']);
  if (block) return idsOfMessage({ content: [block] }, false);
  const { id, container, content } = asFields(event['delta']) ?? asFields(event['message']) ?? {};
  return idsOfMessage({ id, container, content: asList(content) }, isThread);
}
