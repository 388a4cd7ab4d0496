import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { openApiDocument, type OpenApiDocument } from '../../platform/http/openapi/document.js';
import type { ApiSection } from '../../platform/http/openapi/operation.js';
import { belowBasePath } from '../../shared/base-path.js';
import { referencePage } from '../../platform/http/openapi/reference-page.js';
import { script, style } from './reference-assets.js';

/** Facts of this site that the reference states. */
export interface ApiReferenceDeps {
  /** Loads the sections at the first request. */
  readonly sections: () => Promise<readonly ApiSection[]>;
  readonly version: string;
  /** Public address of the site, or an empty text. */
  readonly address: () => string;
}

/** Headers of the page. It may load only its own style and script. */
const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-cache',
};

/** `/openapi.json`, and a page of the same contents for people at `/docs/api`. Both need no sign-in. */
export const apiReferenceRoutes = ({ sections, version, address }: ApiReferenceDeps): FastifyPluginAsync => {
  let built: { readonly server: string; readonly document: OpenApiDocument; page?: string } | undefined;
  // Built at the first request: most servers never get one.
  const current = async (): Promise<NonNullable<typeof built>> => {
    const server = address().replace(/\/+$/, '');
    if (built?.server === server) return built;
    built = { server, document: openApiDocument(await sections(), { version, server }) };
    return built;
  };
  const asset = (reply: FastifyReply, type: string, body: string): FastifyReply =>
    reply.headers(pageHeaders).type(type).send(body);

  return async (app) => {
    // Programs in browsers read the document from other sites.
    app.get('/openapi.json', async (_request, reply) =>
      reply
        .headers({ 'access-control-allow-origin': '*', 'cache-control': 'no-cache' })
        .send((await current()).document),
    );
    app.get('/docs/api', async (_request, reply) => {
      const site = await current();
      site.page ??= belowBasePath(referencePage(site.document), app.basePath);
      return asset(reply, 'text/html; charset=utf-8', site.page);
    });
    app.get('/docs/api.css', async (_request, reply) => asset(reply, 'text/css; charset=utf-8', style));
    app.get('/docs/api.js', async (_request, reply) => asset(reply, 'text/javascript; charset=utf-8', script));
  };
};
