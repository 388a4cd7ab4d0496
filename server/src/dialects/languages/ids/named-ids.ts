import { asText, type Fields } from '../../neutral/fields.js';
import { malformed } from '../../errors/relay-error.js';
import { isMadeId } from '../responses/response-object.js';
import { IdFields, type IdPath } from './id-fields.js';

/** Dialects in which clients name objects that their provider keeps. */
export type IdDialect = 'chat' | 'messages' | 'generate' | 'responses' | 'imageEdits';

/** A field that names an object. */
export interface NamedText {
  readonly field: string;
  readonly id: string;
}

/** An object that a provider keeps for its account, named by a client. */
export interface NamedId extends NamedText {
  readonly dialect: IdDialect;
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

const responsesPaths: readonly IdPath[] = [
  ['previous_response_id'],
  ['conversation'],
  ['conversation.id'],
  ['prompt.id'],
  ['prompt.variables.*.file_id'],
  ['input[].id', isReference],
  ['input[].content[].file_id'],
  ['input[].output[].file_id'],
  ['input[].output.file_id'],
  ['input[].container_id', isOfType('code_interpreter_call')],
  ['input[].environment.container_id'],
  ['tools[].container', isOfType('code_interpreter')],
  ['tools[].container.file_ids[]'],
  ['tools[].environment.container_id'],
  ['tools[].environment.file_ids[]'],
  ['tools[].environment.skills[].skill_id', ({ skill_id: id }) => !asText(id).startsWith('openai-')],
  ['tools[].vector_store_ids[]', isOfType('file_search')],
  ['tools[].input_image_mask.file_id'],
];

const messagesPaths: readonly IdPath[] = [
  ['container'],
  ['container.id'],
  // Anthropic's own skills are available to every account.
  ['container.skills[].skill_id', ({ type }) => type !== 'anthropic'],
  ...['messages[].content[]', 'messages[].content[].content[]', 'messages[].content[].source.content[]'].flatMap(
    (block): IdPath[] => [[`${block}.source.file_id`], [`${block}.file_id`, isOfType('container_upload')]],
  ),
];

const chatPaths: readonly IdPath[] = [['messages[].content[].file.file_id'], ['messages[].audio.id']];

/** Paths of ids in image edits as JSON. Forms contain the images themselves. */
const imageEditPaths: readonly IdPath[] = [['images[].file_id'], ['mask.file_id']];

/** Ids in one event of a realtime session. Items that it refers to belong to the session itself. */
const ofEvent = new IdFields(
  ['session', 'response'].flatMap((holder): IdPath[] => [
    [`${holder}.prompt.id`],
    [`${holder}.prompt.variables.*.file_id`],
  ]),
);

/** URLs in the web and in buckets are not files of the account. */
const isGeminiFile = (holder: Fields): boolean => {
  const uri = holder['fileUri'] ?? holder['file_uri'];
  return typeof uri !== 'string' || /^(?:https?:\/\/generativelanguage\.googleapis\.com\/.*)?files\//i.test(uri);
};

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

const fieldsOf: Readonly<Record<IdDialect, IdFields>> = {
  chat: new IdFields(chatPaths),
  messages: new IdFields(messagesPaths),
  generate: new IdFields(generatePaths),
  responses: new IdFields(responsesPaths),
  imageEdits: new IdFields(imageEditPaths),
};

const conversationFields = /^(?:previous_response_id|conversation(?:\.id)?|input\[\d+\]\.id)$/;
const none: readonly NamedText[] = [];

/**
 * Returns the ids in a client's body by which a provider finds objects that it keeps
 * (docs/reference/relay/access.md#ids-of-a-provider).
 * @throws RelayError invalid_request for an id that is not a text
 */
export const namedIds = (dialect: IdDialect, body: Fields): readonly NamedId[] =>
  textsAt(fieldsOf[dialect], body).map(({ field, id }) => ({
    dialect,
    field,
    id,
    isConversation: conversationFields.test(field),
  }));

/** Returns the names in an event of a realtime session. */
export const namedByEvent = (event: Fields): readonly NamedText[] => textsAt(ofEvent, event);

function textsAt(fields: IdFields, body: Fields): readonly NamedText[] {
  const found = fields.in(body).filter(({ id }) => id !== '');
  if (found.length === 0) return none;
  return found.map(({ field, id }) => {
    if (typeof id !== 'string') throw malformed(`${field} must be a text`);
    return { field, id };
  });
}
