import type { IncomingMessage, Server } from 'node:http';

declare module 'fastify' {
  interface FastifyInstance {
    /** The path of the site below its host (BASE_PATH), such as `/gw`. Empty: the site has the host of its own. */
    readonly basePath: string;
  }
}

/**
 * Takes the path of the site off every URL before anything reads it. URLs without it are served as well: a proxy may have
 * removed it. Call it after all other listeners were added.
 */
export function removeBasePath(server: Server, basePath: string): void {
  if (basePath === '') return;
  const remove = (request: IncomingMessage): void => {
    const { url = '/' } = request;
    if (!url.startsWith(basePath)) return;
    const rest = url.slice(basePath.length);
    if (rest === '' || rest.startsWith('?')) request.url = `/${rest}`;
    else if (rest.startsWith('/')) request.url = rest;
  };
  server.prependListener('request', remove);
  server.prependListener('upgrade', remove);
}
