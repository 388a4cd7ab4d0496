import { randomBytes } from 'node:crypto';
import type { FastifyReply, onRequestAsyncHookHandler } from 'fastify';
import { escapeHtml } from '../../shared/html.js';
import { isAppError } from '../../shared/errors.js';
import { wantsPage } from './not-found.js';

/**
 * Shows browsers a page instead of the error of a limit. The page loads itself again when the limit allows it; programs keep
 * the error.
 */
export const withPage = (limit: onRequestAsyncHookHandler, systemName: () => string): onRequestAsyncHookHandler =>
  async function (request, reply) {
    try {
      await limit.call(this, request, reply);
    } catch (error) {
      if (!isAppError(error) || error.code !== 'RATE_LIMITED' || !wantsPage(request)) throw error;
      return sendPage(reply, error.retryAfterSeconds ?? 1, systemName());
    }
  };

function sendPage(reply: FastifyReply, seconds: number, systemName: string): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  const name = escapeHtml(systemName);
  // A browser follows the refresh without scripts.
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="${seconds}">
<title>${name}</title>
<style nonce="${nonce}">
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 15px/1.6 system-ui, sans-serif; }
main { max-width: 30rem; padding: 24px; }
h1 { font-size: 20px; }
</style>
</head>
<body>
<main>
<h1>${name}</h1>
<p>Too many pages were opened from your network. This page loads again by itself in ${seconds} s.</p>
<p lang="zh">您的网络打开了过多页面，本页将在 ${seconds} 秒后自动重新加载。</p>
</main>
</body>
</html>
`;
  return reply
    .status(429)
    .header('retry-after', String(seconds))
    .header('cache-control', 'no-store')
    .header(
      'content-security-policy',
      `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; frame-ancestors 'none'`,
    )
    .header('x-content-type-options', 'nosniff')
    .type('text/html; charset=utf-8')
    .send(html);
}
