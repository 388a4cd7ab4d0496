import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { assertFromOwnPage, assertUserIdHeader } from '../../platform/http/authenticate.js';
import { RestAnswer, withoutHead, type RestContext, type RestHandlers } from '../../platform/http/rest.js';
import { originOf, setSignInCookies } from '../../platform/http/session-cookie.js';
import { ensureVisitor, visitorOf } from '../../platform/http/visitor.js';
import { requireActor, type Actor, type MaybeActor } from '../../shared/actor.js';
import { InvalidInputError } from '../../shared/errors.js';
import { redirectProviders } from './identity-provider.js';
import { StateError } from './sign-in-state.js';
import { type OAuthService } from './oauth.service.js';
import { type SignIn } from '../sign-in/index.js';
import type { EmailBinding } from '../registration/index.js';
import { signInAnswer } from '../users/user.wire.js';

type Context = RestContext<MaybeActor>;

/**
 * `/api/oauth` (docs/reference/rest/accounts.md#sign-in-through-other-providers). These endpoints read the session
 * cookie only. Changes by `GET` need a one-time state or the user-id header, neither of which a foreign page can send.
 */
export const oauthRoutes =
  (oauth: OAuthService, emailBinding: EmailBinding, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.get(
      '/state',
      withoutHead,
      rest.session(async ({ actor, query, request, reply }) => {
        const visitor = ensureVisitor(request, reply);
        const provider = redirectProviders.find((name) => name === query.provider) ?? null;
        return oauth.makeState({ actor, origin: originOf(request), visitor }, query.aff ?? '', provider);
      }),
    );

    for (const provider of redirectProviders) {
      app.get(
        `/${provider}`,
        withoutHead,
        rest.session(({ actor, query, request, reply }) =>
          forbiddenState(async () => {
            if (provider === 'linuxdo' && query.error) {
              throw new InvalidInputError((query.error_description || 'Sign-in was refused').slice(0, 200));
            }
            const callback = { code: query.code ?? '', state: query.state ?? '', issuer: query.iss };
            const asker = { actor, origin: originOf(request), visitor: visitorOf(request) };
            const signIn = await oauth.complete(provider, callback, asker);
            return signIn ? signedIn(signIn, request, reply) : new RestAnswer({ success: true, message: 'bind' });
          }),
        ),
      );
    }

    app.get(
      '/wechat',
      withoutHead,
      rest.session(async ({ query, request, reply }) => {
        assertFromOwnPage(request);
        return signedIn(await oauth.signInWithWeChat(query.code ?? '', originOf(request)), request, reply);
      }),
    );

    app.get(
      '/wechat/bind',
      withoutHead,
      rest.session(async (context) => {
        await oauth.bindWeChat(ownCaller(context), context.query.code ?? '', context.request.ip);
      }),
    );

    app.get(
      '/email/bind',
      withoutHead,
      rest.session(async (context) => {
        const { email = '', code = '' } = context.query;
        await emailBinding.bind(ownCaller(context), email, code, context.request.ip);
      }),
    );

    app.get(
      '/telegram/login',
      withoutHead,
      rest.session(async ({ query, request, reply }) => {
        assertFromOwnPage(request);
        return signedIn(await oauth.signInWithTelegram(query, originOf(request)), request, reply);
      }),
    );

    // The widget navigates here without the user-id header, so a state is required.
    app.get(
      '/telegram/bind',
      withoutHead,
      rest.session((context) =>
        forbiddenState(async () => {
          const { actor, query, request, reply } = context;
          const self = requireActor(actor);
          if (query.state) await oauth.takeState(self, query.state, visitorOf(request));
          else assertFromOwnPage(request);
          await oauth.bindTelegram(self, query, request.ip);
          await reply.redirect('/setting', 302);
          return undefined;
        }),
      ),
    );
  };

/** Returns the signed-in user. The request must have the user-id header. */
function ownCaller({ actor, request }: Context): Actor {
  const self = requireActor(actor);
  assertUserIdHeader(request, self);
  return self;
}

function signedIn(signIn: SignIn, request: FastifyRequest, reply: FastifyReply): unknown {
  setSignInCookies(request, reply, signIn);
  return signInAnswer(signIn);
}

async function forbiddenState(run: () => Promise<unknown>): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    return new RestAnswer({ success: false, message: error.message, code: error.code }, 403);
  }
}
