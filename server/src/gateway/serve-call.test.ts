import { slicesDuring } from '../../../tests/support/growth.js';
import { largeBody } from '../dialects/wire/forms/json-body.js';
import { writtenBody } from './serve-call.js';

it('writes a small body at once', () => {
  expect(writtenBody({ model: 'm' }, Buffer.alloc(largeBody))).toEqual(Buffer.from('{"model":"m"}'));
});

it('lets other calls go on while it writes a large body', async () => {
  const body = { messages: Array.from({ length: 50 }, () => ({ role: 'user', content: 'x'.repeat(100_000) })) };
  let written: Buffer | undefined;
  const turns = await slicesDuring(async () => {
    written = await writtenBody(body, Buffer.alloc(largeBody + 1));
  });
  expect(turns).toBeGreaterThan(20);
  expect(written?.toString()).toBe(JSON.stringify(body));
});
