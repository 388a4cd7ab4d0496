import { z } from 'zod';
import {
  int,
  listOf,
  named,
  pages,
  parameter,
  quota,
  text,
  timeRange,
  type ApiSection,
} from '../../platform/http/openapi/operation.js';

const shared = {
  user_id: int('User'),
  channel_id: int('Channel; 0 in own lists'),
  quota: quota('Charged'),
  action: text('What was requested'),
  status: text('NOT_START, SUBMITTED, QUEUED, IN_PROGRESS, SUCCESS, FAILURE, MODAL, UNKNOWN or empty'),
  progress: text('`0%` to `100%`'),
  fail_reason: text('Why it failed, or empty'),
};
const drawingShape = named('Drawing', 'A Midjourney task. Times in milliseconds.', {
  ...shared,
  id: int('Id'),
  code: int('1 submitted, 21 exists, 22 queued, 0 not submitted'),
  mj_id: text('Id at the provider'),
  prompt: text('Prompt'),
  prompt_en: text('Prompt in English'),
  description: text("The provider's description"),
  state: text("The client's own text"),
  submit_time: int('Submitted'),
  start_time: int('Started'),
  finish_time: int('Finished'),
  created_at: int('Submitted, in seconds'),
  image_url: text('Link of the picture, or empty'),
  buttons: text('JSON text of possible actions'),
  properties: text('JSON text'),
});
const creativeShape = named('CreativeTask', 'A task of music or of a video. Times in seconds.', {
  ...shared,
  id: int('Id'),
  created_at: int('Created'),
  updated_at: int('Changed'),
  task_id: text('Id at the provider; of a video, its id here'),
  platform: text('`suno`, `video`'),
  submit_time: int('Submitted'),
  start_time: int('Started'),
  finish_time: int('Finished'),
  properties: z.record(z.string(), z.unknown()),
  data: z.unknown(),
});

const { p } = pages;
const page = { ...(p && { p }) };
const drawingFilters = { ...page, mj_id: parameter.words('Id at the provider'), ...timeRange };
const creativeFilters = {
  ...page,
  task_id: parameter.words('Id at the provider'),
  platform: parameter.words('`suno`'),
  status: parameter.words('Status'),
  action: parameter.words('Action'),
  ...timeRange,
};
const channel = { channel_id: parameter.whole('Channel') };

/** Lists of drawings and creative tasks. */
export const taskSection: ApiSection = {
  name: 'Drawings and music',
  description: 'Tasks that were submitted through the relay. Times of drawings are milliseconds.',
  operations: {
    'GET /api/mj': {
      summary: 'Drawings of all users',
      role: 'admin',
      query: { ...drawingFilters, ...channel },
      data: listOf(drawingShape),
      example: {},
    },
    'GET /api/mj/self': {
      summary: 'Own drawings',
      role: 'common',
      query: drawingFilters,
      data: listOf(drawingShape),
      example: {},
    },
    'GET /api/task': {
      summary: 'Creative tasks of all users',
      role: 'admin',
      query: { ...creativeFilters, ...channel },
      data: listOf(creativeShape),
      example: {},
    },
    'GET /api/task/self': {
      summary: 'Own creative tasks',
      role: 'common',
      query: creativeFilters,
      data: listOf(creativeShape),
      example: {},
    },
  },
};
