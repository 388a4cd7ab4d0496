import { z } from 'zod';
import {
  flag,
  int,
  listOf,
  named,
  pages,
  parameter,
  quota,
  seconds,
  text,
  timeRange,
  type ApiOperation,
  type ApiSection,
} from '../../platform/http/openapi/operation.js';

const logShape = named('LogRow', 'A row of the usage log.', {
  id: int('Id. In own lists the position among the own rows'),
  user_id: int('User'),
  created_at: seconds('Written'),
  type: int('1 top-up, 2 call, 3 management, 4 system, 5 check-in, 6 error'),
  content: text('For people, in the language of the log'),
  username: text('Name of the user when the row was written'),
  token_name: text('Name of the key'),
  model_name: text('Model'),
  quota: quota('Charged, or credited; of deductions 0'),
  prompt_tokens: int('Input tokens'),
  completion_tokens: int('Output tokens'),
  use_time: int('Duration in whole seconds'),
  is_stream: flag('The response was a stream'),
  channel: int('Channel; 0 in own lists'),
  channel_name: text('Name of the channel; empty in own lists'),
  token_id: int('Key'),
  group: text('Group'),
  request_id: text('Request id of the call; empty for other rows'),
  other: text('JSON text with the parts of the charge'),
});

const filters: NonNullable<ApiOperation['query']> = {
  type: parameter.whole('Type of rows; 0 for all'),
  token_name: parameter.words('Name of the key'),
  model_name: parameter.words('Model; `*` stands for any text'),
  group: parameter.words('Group'),
  request_id: parameter.words('Request id of a call'),
  min_quota: parameter.whole('Least quota of a row. Leaves out credits unless a type is chosen'),
  max_quota: parameter.whole('Largest quota of a row. Leaves out credits unless a type is chosen'),
  ...timeRange,
};
const allFilters = {
  ...filters,
  username: parameter.words('Name of the user'),
  channel: parameter.whole('Channel'),
};
const sums = z.object({
  quota: quota('Charged in the range'),
  rpm: int('Calls of the last 60 seconds'),
  tpm: int('Tokens of the last 60 seconds'),
});
const keyword = { keyword: parameter.words('A type, or the beginning of the content') };
const usageRow = named('UsageHour', 'Usage of a model in an hour.', {
  id: int('Position, or 0'),
  user_id: int('User; 0 for all'),
  username: text('Name; empty for all users'),
  model_name: text('Model'),
  created_at: seconds('Start of the hour'),
  token_used: int('Tokens'),
  count: int('Calls'),
  quota: quota('Charged'),
});
const grouping = {
  group_by: parameter.words('`day` or `hour`, and `user`, `token`, `model`, `channel`, `group`; separated by commas'),
  time_zone: parameter.words('IANA zone of `day` and `hour`. UTC when absent'),
};
const csv = { media: 'text/csv', example: {} } as const;

/** The usage log, hourly usage, and files of both. */
export const logSection: ApiSection = {
  name: 'Log and usage',
  description: 'What was called and charged. Dashboards read more over GraphQL.',
  operations: {
    'GET /api/log': {
      summary: 'Log of all users, newest first',
      role: 'admin',
      query: { ...pages, ...allFilters },
      data: listOf(logShape),
      example: { query: { p: 1, type: 0 } },
    },
    'GET /api/log/self': {
      summary: 'The own log, newest first',
      description: 'Without channels, `budgets` and `admin_info`.',
      role: 'common',
      query: { ...pages, ...filters },
      data: listOf(logShape),
      example: { query: { p: 1 } },
    },
    'GET /api/log/stat': {
      summary: 'Sums of the log of all users',
      role: 'admin',
      query: allFilters,
      data: sums,
      example: {},
    },
    'GET /api/log/self/stat': {
      summary: 'Sums of the own log',
      role: 'common',
      query: filters,
      data: sums,
      example: {},
    },
    'GET /api/log/search': {
      summary: 'Search the newest rows of all users',
      description: 'At most 100 rows. Calls are searched among the newest 10,000 rows.',
      role: 'admin',
      query: keyword,
      data: z.array(logShape),
      example: { query: { keyword: 'New' } },
    },
    'GET /api/log/self/search': {
      summary: 'Search the newest own rows',
      role: 'common',
      query: keyword,
      data: z.array(logShape),
      example: { query: { keyword: 'New' } },
    },
    'GET /api/log/token': {
      summary: 'Log of one key',
      description:
        '100 rows a page. The key in `?key=`, in `x-api-key` or as a bearer token needs no user, and works from its allowed addresses only. A signed-in user reads own keys, from everywhere.',
      role: 'key',
      query: { ...pages, key: parameter.words('The key') },
      data: z.array(logShape),
      errors: ['IP_NOT_ALLOWED'],
      example: {},
    },
    'GET /api/log/export': {
      summary: 'Log of all users as CSV',
      role: 'admin',
      query: allFilters,
      errors: ['CONFIRMATION_NEEDED'],
      ...csv,
    },
    'GET /api/log/self/export': { summary: 'The own log as CSV', role: 'common', query: filters, ...csv },
    'DELETE /api/log': {
      summary: 'Delete old rows',
      description: '0 is refused.',
      role: 'admin',
      query: { target_timestamp: { type: 'integer', description: 'Rows before this Unix second go', required: true } },
      data: int('Number of rows deleted'),
      errors: ['INVALID_INPUT'],
      example: { query: { target_timestamp: 1 } },
    },
    'GET /api/data': {
      summary: 'Usage by hour and model',
      role: 'admin',
      query: { ...timeRange, username: parameter.words('Only this user') },
      data: z.array(usageRow),
      example: { query: { start_timestamp: 1_700_000_000, end_timestamp: 1_700_086_400 } },
    },
    'GET /api/data/self': {
      summary: 'Own usage by hour and model',
      description: 'At most 30 days.',
      role: 'common',
      query: timeRange,
      data: z.array(usageRow),
      errors: ['INVALID_INPUT'],
      example: { query: { start_timestamp: 1_700_000_000, end_timestamp: 1_700_086_400 } },
    },
    'GET /api/data/export': {
      summary: 'Usage of all users as CSV',
      role: 'admin',
      query: { ...timeRange, ...grouping },
      errors: ['INVALID_INPUT', 'CONFIRMATION_NEEDED'],
      ...csv,
    },
    'GET /api/data/self/export': {
      summary: 'Own usage as CSV',
      role: 'common',
      query: { ...timeRange, ...grouping },
      errors: ['INVALID_INPUT'],
      ...csv,
    },
  },
};
