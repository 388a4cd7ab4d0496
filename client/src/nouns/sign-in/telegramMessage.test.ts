import { fromTelegramMessage } from './telegramMessage.js';

const person = { id: 7, first_name: 'Ada', auth_date: 1_763_600_000, hash: 'abc', extra: 'x' };
const message = (more: object) => JSON.stringify({ event: 'auth_user', auth_data: person, ...more });

it('takes what Telegram signs out of the message, and no more', () => {
  expect(fromTelegramMessage(message({}))?.toString()).toBe('id=7&first_name=Ada&auth_date=1763600000&hash=abc');
});

it.each([
  ['of another kind', message({ event: 'resize' })],
  ['of who was signed in before', message({ init: true })],
  ['without a proof', message({ auth_data: { id: 7 } })],
  ['without anybody', message({ auth_data: null })],
  ['that is no JSON', 'hello'],
  ['that is no text', { event: 'auth_user', auth_data: person }],
])('ignores a message %s', (_name, data) => {
  expect(fromTelegramMessage(data)).toBeNull();
});
