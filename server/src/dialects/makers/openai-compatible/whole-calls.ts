import { ofEachObject } from '../../../shared/of-each-object.js';
import { wholeArguments } from '../../neutral/arguments.js';
import { asFields, type Fields } from '../../neutral/fields.js';
import { changedList } from '../../wire/pass-through/changed-list.js';

/**
 * Returns chat messages whose tool calls have complete arguments. The output limit may have cut some off, and servers
 * of open models refuse them.
 * @returns the same value if all are complete
 */
export const withWholeCalls = (messages: unknown): unknown =>
  changedList(messages, (message) => (message['tool_calls'] ? wholeMessage(message) : message));

const wholeMessage = ofEachObject((message: Fields): Fields => {
  const calls = changedList(message['tool_calls'], withWholeArguments);
  return calls === message['tool_calls'] ? message : { ...message, tool_calls: calls };
});

function withWholeArguments(call: Fields): Fields {
  const called = asFields(call['function']);
  const given = called?.['arguments'];
  if (typeof given !== 'string') return call;
  // A call without arguments: a blank text is not JSON.
  const whole = given.trim() === '' ? '{}' : wholeArguments(given);
  return whole === given ? call : { ...call, function: { ...called, arguments: whole } };
}
