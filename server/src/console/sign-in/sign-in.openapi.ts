import { z } from 'zod';
import { parameter, type ApiOperation, type ApiSection } from '../../platform/http/openapi/operation.js';
import { userShape } from '../users/user.openapi.js';
import { codeBody, loginBody } from '../users/user.wire.js';

const turnstile = { turnstile: parameter.words('Response of the bot check, where the site has one') };
const email = { email: parameter.required('Address') };

const provider = (name: string): ApiOperation => ({
  summary: `Sign in, or bind the own account, with ${name}`,
  description:
    'The provider redirects the browser here. Without a session the user signs in or registers; with one the account is bound.',
  role: 'anonymous',
  query: { code: parameter.words('Code of the provider'), state: parameter.words('From `GET /api/oauth/state`') },
  data: userShape,
  errors: ['INVALID_INPUT', 'SECOND_FACTOR_NEEDED'],
  example: { query: { code: 'none', state: 'none' }, fails: 'INVALID_INPUT' },
});

/** Sign-in, registration, password reset and other sign-in providers. */
export const signInSection: ApiSection = {
  name: 'Sign-in and registration',
  description:
    'Sessions are cookies for browsers; programs use an access token. These operations share a limit of 20 calls in 20 ' +
    'minutes per address.',
  operations: {
    'POST /api/user/login': {
      summary: 'Sign in with a password',
      role: 'anonymous',
      query: turnstile,
      body: loginBody,
      data: userShape,
      errors: ['INVALID_CREDENTIALS', 'SECOND_FACTOR_NEEDED'],
      example: { body: { username: 'nobody', password: 'nothing at all' }, fails: 'INVALID_CREDENTIALS' },
    },
    'POST /api/user/login/2fa': {
      summary: 'Second step of a sign-in',
      role: 'anonymous',
      body: codeBody,
      data: userShape,
      errors: ['INVALID_CREDENTIALS'],
      example: { body: { code: '000000' }, fails: 'INVALID_INPUT' },
    },
    'GET /api/user/logout': {
      summary: 'Sign out',
      description: 'Succeeds without a session, too.',
      role: 'anonymous',
      example: {},
    },
    'GET /api/oauth/state': {
      summary: 'One-time state for a sign-in provider',
      role: 'anonymous',
      query: {
        aff: parameter.words('Invite code'),
        provider: parameter.words('The provider that may use it').meta({ enum: ['github', 'oidc', 'linuxdo'] }),
      },
      data: z.string(),
      example: {},
    },
    'GET /api/oauth/github': provider('GitHub'),
    'GET /api/oauth/oidc': provider('OIDC'),
    'GET /api/oauth/linuxdo': provider('Linux DO'),
    'GET /api/oauth/wechat': {
      summary: 'Sign in with WeChat',
      description: 'Registers a new user. Only the own pages of the site may call it.',
      role: 'anonymous',
      query: { code: parameter.required('Code from the official account') },
      data: userShape,
      errors: ['INVALID_INPUT', 'USER_ID_MISMATCH'],
      example: { query: { code: '1234' }, fails: 'USER_ID_MISMATCH' },
    },
    'GET /api/oauth/wechat/bind': {
      summary: 'Bind a WeChat account',
      role: 'common',
      query: { code: parameter.required('Code from the official account') },
      example: { query: { code: '1234' }, fails: 'INVALID_INPUT' },
    },
    'GET /api/oauth/email/bind': {
      summary: 'Set the own e-mail address',
      description: 'The former address gets a mail.',
      role: 'common',
      query: { ...email, code: parameter.required('Code from the mail') },
      errors: ['INVALID_INPUT', 'CONFLICT'],
      example: { query: { email: 'ada@example.com', code: '000000' }, fails: 'INVALID_INPUT' },
    },
    'GET /api/oauth/telegram/login': {
      summary: 'Sign in with Telegram',
      description: 'Never registers. The query is what the widget signs. Only the own pages of the site may call it.',
      role: 'anonymous',
      data: userShape,
      errors: ['INVALID_INPUT', 'USER_ID_MISMATCH'],
      example: { fails: 'USER_ID_MISMATCH' },
    },
    'GET /api/oauth/telegram/bind': {
      summary: 'Bind a Telegram account',
      description: 'The query is what the widget signs.',
      role: 'common',
      redirects: true,
      example: { fails: 'INVALID_INPUT' },
    },
  },
};
