import { Fields } from '../source/fields.js';
import { mapLog } from './logs.js';

const details = { model_ratio: 1, ip: '203.0.113.7', input_content: 'hi' };
const moved = (withContent: boolean): unknown => {
  const row = { id: 1, type: 2, created_at: 1, ip: '203.0.113.7', other: JSON.stringify(details) };
  const options = { family: 'new-api', withContent, onChange: () => undefined } as const;
  return JSON.parse(mapLog(new Fields(row), options).other);
};

it('moves no address of a user, and texts on request', () => {
  expect(moved(false)).toEqual({ model_ratio: 1 });
  expect(moved(true)).toEqual({ model_ratio: 1, input_content: 'hi' });
});
