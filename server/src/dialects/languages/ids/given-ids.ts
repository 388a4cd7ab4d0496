import { asFields, asList, type Fields } from '../../neutral/fields.js';
import { IdFields } from './id-fields.js';

/* The ids in responses by which a client may later name what the provider keeps for it. */

const ofStored = new IdFields([['id'], ['output[].id']]);
const ofResponse = new IdFields([
  ['output[].container_id'],
  ['output[].environment.container_id'],
  ['output[].content[].annotations[].container_id'],
  ['output[].content[].annotations[].file_id'],
]);
const ofMessage = new IdFields([['container.id'], ['content[].content.content[].file_id']]);

const ofChat = new IdFields([['choices[].message.audio.id']]);

const textsIn = (fields: IdFields, body: Fields): string[] =>
  fields.in(body).flatMap(({ id }) => (typeof id === 'string' && id !== '' ? [id] : []));

/** @param response a response of Responses; one that its provider does not store cannot be continued by its ids */
export const idsOfResponse = (response: Fields): readonly string[] => [
  ...(response['store'] === false ? [] : textsIn(ofStored, response)),
  ...textsIn(ofResponse, response),
];

/** @param answer a response of chat completions, whose audio may be named in the next request */
export const idsOfChat = (answer: Fields): readonly string[] => textsIn(ofChat, answer);

/** @param message a response of Messages */
export const idsOfMessage = (message: Fields): readonly string[] => textsIn(ofMessage, message);

/** Returns the ids in one event of a stream of Messages. */
export function idsOfMessageEvent(event: Fields): readonly string[] {
  const block = asFields(event['content_block']);
  if (block) return idsOfMessage({ content: [block] });
  const holder = asFields(event['delta']) ?? asFields(event['message']) ?? {};
  return idsOfMessage({ container: holder['container'], content: asList(holder['content']) });
}
