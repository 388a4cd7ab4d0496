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
import { createBody, idsBody, redeemBody, updateBody } from './redemption.wire.js';

const redemptionShape = named('RedemptionCode', 'A code that adds to a balance.', {
  id: int('Id'),
  user_id: int('Admin who made it'),
  key: text('The code, generated or chosen'),
  status: int('1 unused, 2 disabled, 3 used'),
  name: text('Name of the batch, 1 to 20 characters'),
  quota: quota('Worth, above 0'),
  created_time: seconds('Created'),
  redeemed_time: seconds('Redeemed, or 0'),
  valid_from: seconds('First valid second; 0 for no bound'),
  valid_until: seconds('Last valid second; 0 for no bound'),
  count: int('How many codes to create, 1 to 100. Always 0 in responses'),
  used_user_id: int('User who redeemed it, or 0'),
  is_gift: flag('Many users may redeem it, each once'),
  max_uses: int('Uses of a gift code; -1 for no limit'),
  used_count: int('Uses so far'),
  DeletedAt: z.null(),
});

const name = { name: { ...parameter.words('The exact name of the batch'), required: true } };

/** Redemption codes. */
export const redemptionSection: ApiSection = {
  name: 'Redemption codes',
  description: 'Codes that users turn into balance.',
  operations: {
    'GET /api/redemption': {
      summary: 'All codes, newest first',
      role: 'admin',
      query: pages,
      data: listOf(redemptionShape),
      example: { query: { p: 1 } },
    },
    'GET /api/redemption/search': {
      summary: 'Search codes',
      role: 'admin',
      query: { ...pages, keyword: parameter.words('Beginning of the name, an id, or a whole code') },
      data: listOf(redemptionShape),
      example: { query: { keyword: 'spring' } },
    },
    'GET /api/redemption/:id': {
      summary: 'One code',
      role: 'admin',
      data: redemptionShape,
      errors: ['NOT_FOUND'],
      example: { path: { id: 1 } },
    },
    'GET /api/redemption/count-by-name': {
      summary: 'Number of codes of a batch',
      role: 'admin',
      query: name,
      data: int('Number of codes'),
      example: { query: { name: 'spring' } },
    },
    'POST /api/redemption': {
      summary: 'Create codes',
      description: 'A `key` creates exactly that one code. The start must be before the end.',
      role: 'admin',
      once: true,
      body: createBody,
      bodyOf: redemptionShape,
      data: z.array(z.string()).describe('The codes'),
      example: { body: { name: 'spring', quota: 500_000, count: 2 } },
    },
    'PUT /api/redemption': {
      summary: 'Change a code, or only its status',
      description:
        'Absent fields stay. Only an unused code can be edited. With `status_only` the status becomes 1 or 2; a used code stays used.',
      role: 'admin',
      query: { status_only: parameter.words('Any text: only `status` is read') },
      body: updateBody,
      data: redemptionShape,
      errors: ['NOT_FOUND', 'CONFLICT'],
      example: { body: { id: 1, name: 'spring', quota: 600_000 } },
    },
    'PUT /api/redemption/batch-disable': {
      summary: 'Disable several codes',
      description: 'Only those of status 1.',
      role: 'admin',
      body: idsBody,
      data: int('Number of codes changed'),
      example: { body: { ids: [2] } },
    },
    'DELETE /api/redemption/:id': {
      summary: 'Delete a code',
      role: 'admin',
      errors: ['NOT_FOUND'],
      example: { path: { id: 1 } },
    },
    'DELETE /api/redemption/delete-by-name': {
      summary: 'Delete the codes of a batch',
      role: 'admin',
      query: name,
      data: int('Number of codes deleted'),
      example: { query: { name: 'autumn' } },
    },
    'DELETE /api/redemption/delete-disabled': {
      summary: 'Delete all disabled codes',
      role: 'admin',
      data: int('Number of codes deleted'),
      example: {},
    },
    'POST /api/user/topup': {
      summary: 'Redeem a code',
      role: 'common',
      once: true,
      body: redeemBody,
      data: z.object({ quota: quota('Credited'), is_gift: z.boolean() }),
      errors: ['INVALID_INPUT', 'RATE_LIMITED'],
      example: { body: { key: 'unknown' }, fails: 'INVALID_INPUT' },
    },
  },
};
