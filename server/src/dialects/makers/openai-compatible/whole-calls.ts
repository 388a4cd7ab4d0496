import { wholeArguments } from '../../neutral/arguments.js';
import { asFields, asText, type Fields } from '../../neutral/fields.js';
import { changedList } from '../../wire/pass-through/changed-list.js';

/**
 * Chat messages whose calls have whole arguments: the output limit may have cut some off, which servers of open models refuse.
 * @returns the same value when all are whole
 */
export const withWholeCalls = (messages: unknown): unknown =>
  changedList(messages, (message) => {
    const calls = changedList(message['tool_calls'], withWholeArguments);
    return calls === message['tool_calls'] ? message : { ...message, tool_calls: calls };
  });

function withWholeArguments(call: Fields): Fields {
  const called = asFields(call['function']);
  if (!called) return call;
  const given = asText(called['arguments']);
  const whole = wholeArguments(given);
  return whole === given ? call : { ...call, function: { ...called, arguments: whole } };
}
