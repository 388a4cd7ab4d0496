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
} from '../../platform/http/openapi/operation.js';
import { createBody, rotateBody, updateBody } from './token.wire.js';

const tokenShape = named('Token', 'An API key with its limits.', {
  id: int('Id'),
  user_id: int('Owner'),
  key: text('The key, generated, without `sk-`. Only its first characters where a confirmation is needed'),
  status: int('1 enabled, 2 disabled, 3 expired, 4 exhausted'),
  name: text('Required, at most 30 characters'),
  created_time: seconds('Created'),
  accessed_time: seconds('Last used'),
  expired_time: seconds('Expiry, or -1 for never'),
  remain_quota: quota('What the key may still spend. The balance of its owner is checked besides'),
  used_quota: quota('Charged so far'),
  ungranted_quota: int(
    'The remaining quota without what the owner has granted: of a key that was granted 1,000 and spent 300 it is -300. Forms send it back',
  ),
  unlimited_quota: flag('The key has no limit of its own'),
  model_limits_enabled: flag('Only the models in `model_limits` may be called'),
  model_limits: text('Model names, separated by commas'),
  allow_ips: text('One address or range per line; empty for all'),
  group: text('Group that the owner may use; empty for that of the owner'),
  fallback_groups: text('At most 10 groups to try after that of the key, in order, separated by commas'),
  fallback_models: text('At most 10 models to try after the one of a call, in order, separated by commas'),
  rate_limit_enabled: flag('The key has a rate limit of its own'),
  rate_limit_period: int('Seconds of the rate limit, 60 by default'),
  rate_limit_count: int('Calls in the period, 1,000 by default'),
  rate_limit_success: int('Successful calls in the period, 10 by default'),
  scopes: text('What the key may do, separated by commas: `relay` and `usage`, the default, and `keys`'),
  previous_key_until: seconds('The text before the last rotation works until then; 0 when there is none'),
  DeletedAt: z.null(),
});

/** API keys of the caller. */
export const tokenSection: ApiSection = {
  name: 'API keys',
  description:
    "The caller's own API keys. Another user's key is not found. An API key with the scope `keys` may send these requests as `Authorization: Bearer sk-…`; it does not see the texts of other keys.",
  operations: {
    'GET /api/token': {
      summary: 'Own keys',
      description: 'Complete keys. The first page is 0.',
      role: 'common',
      query: pages,
      data: listOf(tokenShape),
      example: { query: { p: 0, page_size: 20 } },
    },
    'GET /api/token/search': {
      summary: 'Search own keys',
      description: 'A leading `sk-` is ignored.',
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
      description:
        'Refused: an empty name, an expiry in the past, a negative quota, a group that the owner may not use, an invalid entry in `allow_ips`, more than 1,000 keys. The status is always 1. `budgets` has at most 20 budgets of the key, which are created with it, or neither.',
      role: 'common',
      once: true,
      body: createBody,
      data: tokenShape,
      errors: ['GROUP_NOT_ALLOWED'],
      example: { body: { name: 'ci', unlimited_quota: true, expired_time: -1 } },
    },
    'PUT /api/token': {
      summary: 'Replace the fields of a key, or only its status',
      description:
        'An absent field counts as zero, except for those that older clients do not know, which stay. A key that had expired or was exhausted and is extended becomes enabled. With `status_only` the status becomes 1 or 2; enabling is refused while the key is still expired or exhausted.',
      role: 'common',
      query: { status_only: parameter.words('Any text: only `status` is read') },
      body: updateBody,
      data: tokenShape,
      errors: ['NOT_FOUND', 'TOKEN_EXPIRED', 'TOKEN_QUOTA_EXHAUSTED'],
      example: { body: { id: 1, name: 'ci', unlimited_quota: true, expired_time: -1 } },
    },
    'POST /api/token/:id/rotate': {
      summary: 'Give a key new text',
      description:
        'The old text works until `overlap_until` (Unix seconds, at most 366 days from now); 0 or absent ends it at once. Limits, budgets and usage stay.',
      role: 'common',
      once: true,
      body: rotateBody,
      data: tokenShape,
      errors: ['NOT_FOUND', 'CONFIRMATION_NEEDED'],
      example: { path: { id: 1 }, body: { overlap_until: 0 } },
    },
    'DELETE /api/token/:id/previous': {
      summary: 'End the old text of a rotated key now',
      role: 'common',
      errors: ['NOT_FOUND'],
      example: { path: { id: 1 } },
    },
    'DELETE /api/token/:id': {
      summary: 'Delete a key',
      role: 'common',
      errors: ['NOT_FOUND'],
      example: { path: { id: 1 } },
    },
  },
};
