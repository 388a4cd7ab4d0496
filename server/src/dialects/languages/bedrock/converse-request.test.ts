import { toMessagesBody } from './converse-request.js';

const documents = (...lengths: number[]) => ({
  messages: lengths.map((length) => {
    const source = { bytes: Buffer.alloc(length, 'a').toString('base64') };
    return { role: 'user', content: [{ document: { format: 'txt', name: 'a', source } }] };
  }),
});
const megabyte = 1024 * 1024;

it('takes as much text in documents as Bedrock takes in one', () => {
  expect(() => toMessagesBody(documents(2 * megabyte, 2 * megabyte))).not.toThrow();
  expect(() => toMessagesBody(documents(2 * megabyte, 2.6 * megabyte))).toThrow('limited to 4.5 MB');
});
