import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tc3Authorization } from './tencent.js';

interface Vector {
  readonly id: string;
  readonly timestamp: number;
  readonly body: string;
  readonly authorization: string;
  readonly ch: { readonly key: string };
}

const file = join(import.meta.dirname, '../../../../../tests/fixtures/relay-providers/own-protocols.json');

it('F61-tencent-tc3-vector: signs as published', () => {
  const vector = (JSON.parse(readFileSync(file, 'utf8')) as Vector[]).find(({ id }) => id === 'F61-tencent-tc3-vector');
  const [, secretId = '', secretKey = ''] = vector?.ch.key.split('|') ?? [];
  const { body = '', timestamp = 0 } = vector ?? {};
  const call = { secretId, secretKey, host: 'hunyuan.tencentcloudapi.com', action: 'ChatCompletions', body, timestamp };
  expect(tc3Authorization(call)).toBe(vector?.authorization);
});
