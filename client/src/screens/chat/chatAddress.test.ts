import { chatAddress, needsKey } from './chatAddress.js';

const fill = { address: 'https://gate.example', key: 'sk-key' };

it('puts the address, made safe for a link, and the key in their places, each time', () => {
  expect(chatAddress('https://chat.example/#/?settings={"key":"{key}","url":"{address}"}&again={key}', fill)).toBe(
    'https://chat.example/#/?settings={"key":"sk-key","url":"https%3A%2F%2Fgate.example"}&again=sk-key',
  );
});

it.each(['javascript:alert("{key}")', 'data:text/html,{key}', 'file:///etc', '/token', 'not a link', ''])(
  'opens no %s',
  (link) => {
    expect(chatAddress(link, fill)).toBeNull();
  },
);

it('asks for a key only where one is wanted', () => {
  expect(needsKey('https://chat.example/?key={key}')).toBe(true);
  expect(needsKey('https://chat.example/?url={address}')).toBe(false);
});
