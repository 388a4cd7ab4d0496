import { text, type ApiOperations } from '../../platform/http/openapi/operation.js';
import { transferBody } from './invite.wire.js';

/** Invites: the code, and the earnings. */
export const inviteOperations: ApiOperations = {
  'GET /api/user/aff': { summary: 'The own invite code', role: 'common', data: text('Code'), example: {} },
  'POST /api/user/aff_transfer': {
    summary: 'Move invite earnings to the balance',
    role: 'common',
    once: true,
    body: transferBody,
    errors: ['INVALID_INPUT', 'INSUFFICIENT_QUOTA'],
    example: { body: { quota: 1 }, fails: 'INVALID_INPUT' },
  },
};
