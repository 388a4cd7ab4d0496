import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { assertFromOwnPage, assertUserIdHeader } from '../../platform/http/authenticate.js';
import { parameter } from '../../platform/http/openapi/operation.js';
import { RestAnswer } from '../../platform/http/rest.js';
import { routesFor } from '../../platform/http/route.js';
import { originOf, setSignInCookies } from '../../platform/http/session-cookie.js';
import { ensureVisitor, visitorOf } from '../../platform/http/visitor.js';
import { requireActor, type Actor, type MaybeActor } from '../../shared/actor.js';
import { InvalidInputError } from '../../shared/errors.js';
import { type ProviderName, redirectProviders } from './identity-provider.js';
import { StateError } from './sign-in-state.js';
import { type OAuthService } from './oauth.service.js';
import { type SignIn } from '../sign-in/index.js';
import type { EmailBinding } from '../registration/index.js';
import { signInAnswer, userShape, type WireUser } from '../users/user.wire.js';

const route = routesFor<{ readonly oauthService: OAuthService; readonly emailBinding: EmailBinding }>();

/** These endpoints read the session cookie only. */
const visitor = { caller: 'session', withoutHead: true } as const;
const user = { caller: 'session', role: 'common', withoutHead: true } as const;

const names: Readonly<Record<ProviderName, string>> = { github: 'GitHub', oidc: 'OIDC', linuxdo: 'Linux DO' };
const wechatCode = { code: parameter.required('Code from the official account') };

/**
 * `/api/oauth` (docs/reference/rest/accounts.md#sign-in-through-other-providers). Changes by `GET` need a one-time state
 * or the user-id header, neither of which a foreign page can send.
 */
export const oauthRoutes = [
  route('GET /api/oauth/state', {
    ...visitor,
    summary: 'One-time state for a sign-in provider',
    query: {
      aff: parameter.words('Invite code'),
      provider: parameter.words('The provider that may use it').meta({ enum: [...redirectProviders] }),
    },
    data: z.string(),
    example: {},
    handle: async ({ oauthService }, { actor, query, request, reply }) => {
      const visitor = ensureVisitor(request, reply);
      const provider = redirectProviders.find((name) => name === query.provider) ?? null;
      return oauthService.makeState({ actor, origin: originOf(request), visitor }, query.aff ?? '', provider);
    },
  }),
  ...redirectProviders.map((provider) =>
    route(`GET /api/oauth/${provider}`, {
      ...visitor,
      summary: `Sign in, or bind the own account, with ${names[provider]}`,
      description:
        'The provider redirects the browser here. Without a session the user signs in or registers; with one the account is bound.',
      query: {
        code: parameter.words('Code of the provider'),
        state: parameter.words('From `GET /api/oauth/state`'),
        iss: parameter.words(),
        error: parameter.words(),
        error_description: parameter.words(),
      },
      data: userShape,
      errors: ['INVALID_INPUT', 'SECOND_FACTOR_NEEDED'],
      ownFailure: forbiddenState,
      example: { query: { code: 'none', state: 'none' }, fails: 'INVALID_INPUT' },
      handle: async ({ oauthService }, { actor, query, request, reply }) => {
        if (provider === 'linuxdo' && query.error) {
          throw new InvalidInputError((query.error_description || 'Sign-in was refused').slice(0, 200));
        }
        const callback = { code: query.code ?? '', state: query.state ?? '', issuer: query.iss };
        const asker = { actor, origin: originOf(request), visitor: visitorOf(request) };
        const signIn = await oauthService.complete(provider, callback, asker);
        return signIn ? signedIn(signIn, request, reply) : new RestAnswer({ success: true, message: 'bind' });
      },
    }),
  ),
  route('GET /api/oauth/provider/:slug', {
    ...visitor,
    summary: 'Sign in, or bind the own account, with a provider that the operator added',
    description: 'Like the paths of the built-in providers. The state is that of `beginProviderSignIn`.',
    path: { slug: parameter.required('Name of the provider in addresses') },
    query: {
      code: parameter.words('Code of the provider'),
      state: parameter.words('From `beginProviderSignIn`'),
      iss: parameter.words(),
    },
    data: userShape,
    errors: ['INVALID_INPUT', 'SECOND_FACTOR_NEEDED'],
    ownFailure: forbiddenState,
    example: { path: { slug: 'google' }, query: { code: 'none', state: 'none' }, fails: 'INVALID_INPUT' },
    handle: async ({ oauthService }, { actor, query, params, request, reply }) => {
      const callback = { code: query.code ?? '', state: query.state ?? '', issuer: query.iss };
      const asker = { actor, origin: originOf(request), visitor: visitorOf(request) };
      const signIn = await oauthService.completeAt(params.slug ?? '', callback, asker);
      return signIn ? signedIn(signIn, request, reply) : new RestAnswer({ success: true, message: 'bind' });
    },
  }),
  route('GET /api/oauth/wechat', {
    ...visitor,
    summary: 'Sign in with WeChat',
    description: 'Registers a new user. Only the own pages of the site may call it.',
    query: wechatCode,
    data: userShape,
    errors: ['INVALID_INPUT', 'USER_ID_MISMATCH'],
    example: { query: { code: '1234' }, fails: 'USER_ID_MISMATCH' },
    handle: async ({ oauthService }, { query, request, reply }) => {
      assertFromOwnPage(request);
      return signedIn(await oauthService.signInWithWeChat(query.code, originOf(request)), request, reply);
    },
  }),
  route('GET /api/oauth/wechat/bind', {
    ...user,
    summary: 'Bind a WeChat account',
    query: wechatCode,
    example: { query: { code: '1234' }, fails: 'INVALID_INPUT' },
    handle: async ({ oauthService }, { actor, query, request }) => {
      await oauthService.bindWeChat(ownCaller(actor, request), query.code, request.ip);
    },
  }),
  route('GET /api/oauth/email/bind', {
    ...user,
    summary: 'Set the own e-mail address',
    description: 'The former address gets a mail.',
    query: { email: parameter.required('Address'), code: parameter.required('Code from the mail') },
    errors: ['INVALID_INPUT', 'CONFLICT'],
    example: { query: { email: 'ada@example.com', code: '000000' }, fails: 'INVALID_INPUT' },
    handle: async ({ emailBinding }, { actor, query, request }) => {
      await emailBinding.bind(ownCaller(actor, request), query.email, query.code, request.ip);
    },
  }),
  route('GET /api/oauth/telegram/login', {
    ...visitor,
    summary: 'Sign in with Telegram',
    description: 'Never registers. The query is what the widget signs. Only the own pages of the site may call it.',
    data: userShape,
    errors: ['INVALID_INPUT', 'USER_ID_MISMATCH'],
    example: { fails: 'USER_ID_MISMATCH' },
    handle: async ({ oauthService }, { rawQuery, request, reply }) => {
      assertFromOwnPage(request);
      return signedIn(await oauthService.signInWithTelegram(rawQuery, originOf(request)), request, reply);
    },
  }),
  // The widget navigates here without the user-id header, so a state is required.
  route('GET /api/oauth/telegram/bind', {
    ...user,
    summary: 'Bind a Telegram account',
    description: 'The query is what the widget signs.',
    redirects: true,
    ownFailure: forbiddenState,
    example: { fails: 'INVALID_INPUT' },
    handle: async ({ oauthService }, { actor, rawQuery, request, reply }) => {
      const self = requireActor(actor);
      if (rawQuery.state) await oauthService.takeState(self, rawQuery.state, visitorOf(request));
      else assertFromOwnPage(request);
      await oauthService.bindTelegram(self, rawQuery, request.ip);
      await reply.redirect(`${request.server.basePath}/setting`, 302);
    },
  }),
];

/** Returns the signed-in user. The request must have the user-id header. */
function ownCaller(actor: MaybeActor, request: FastifyRequest): Actor {
  const self = requireActor(actor);
  assertUserIdHeader(request, self);
  return self;
}

function signedIn(signIn: SignIn, request: FastifyRequest, reply: FastifyReply): WireUser | RestAnswer {
  setSignInCookies(request, reply, signIn);
  return signInAnswer(signIn, request);
}

function forbiddenState(error: unknown): RestAnswer | undefined {
  if (!(error instanceof StateError)) return undefined;
  return new RestAnswer({ success: false, message: error.message, code: error.code }, 403);
}
