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
  type ApiSection,
} from '../../http/openapi/operation.js';
import { createBody, updateBody } from './token.wire.js';

const tokenShape = named('Token', 'An API key with its limits.', {
  id: int('Id'),
  user_id: int('Owner'),
  key: text('The key without `sk-`. Only its first characters where a confirmation is needed'),
  status: int('1 enabled, 2 disabled, 3 expired, 4 exhausted'),
  name: text('Name'),
  created_time: seconds('Created'),
  accessed_time: seconds('Last used'),
  expired_time: seconds('Expiry; -1 for never'),
  remain_quota: quota('What the key may still spend'),
  used_quota: quota('Charged so far'),
  ungranted_quota: int('The remaining quota without what the owner has granted. Forms send it back'),
  unlimited_quota: flag('The key has no limit of its own'),
  model_limits_enabled: flag('Only the models in `model_limits` may be called'),
  model_limits: text('Model names, separated by commas'),
  allow_ips: text('One address or range per line; empty for all'),
  group: text('Group; empty for that of the owner'),
  fallback_groups: text('Groups to try after that of the key, in order, separated by commas'),
  fallback_models: text('Models to try after the one of a call, in order, separated by commas'),
  rate_limit_enabled: flag('The key has a rate limit of its own'),
  rate_limit_period: int('Seconds of the rate limit'),
  rate_limit_count: int('Calls in the period'),
  rate_limit_success: int('Successful calls in the period'),
  DeletedAt: z.null(),
});

/** API keys of the caller. */
export const tokenSection: ApiSection = {
  name: 'API keys',
  description: "The caller's own API keys. Another user's key is not found.",
  operations: {
    'GET /api/token': {
      summary: 'Own keys',
      role: 'common',
      query: pages,
      data: listOf(tokenShape),
      example: { query: { p: 0, page_size: 20 } },
    },
    'GET /api/token/search': {
      summary: 'Search own keys',
      role: 'common',
      query: { keyword: parameter.words('Part of the name'), token: parameter.words('Part of the key') },
      data: listOf(tokenShape),
      example: { query: { keyword: 'e' } },
    },
    'GET /api/token/:id': {
      summary: 'One key',
      role: 'common',
      data: tokenShape,
      errors: ['NOT_FOUND'],
      example: { path: { id: 1 } },
    },
    'POST /api/token': {
      summary: 'Create a key',
      role: 'common',
      body: createBody,
      data: tokenShape,
      errors: ['GROUP_NOT_ALLOWED'],
      example: { body: { name: 'ci', unlimited_quota: true, expired_time: -1 } },
    },
    'PUT /api/token': {
      summary: 'Replace the fields of a key, or only its status',
      role: 'common',
      query: { status_only: parameter.words('Any text: only `status` is read') },
      body: updateBody,
      data: tokenShape,
      errors: ['NOT_FOUND', 'TOKEN_EXPIRED', 'TOKEN_QUOTA_EXHAUSTED'],
      example: { body: { id: 1, name: 'ci', unlimited_quota: true, expired_time: -1 } },
    },
    'DELETE /api/token/:id': {
      summary: 'Delete a key',
      role: 'common',
      errors: ['NOT_FOUND'],
      example: { path: { id: 1 } },
    },
  },
};
