import type { FastifyInstance } from 'fastify';
import { prefixes } from '../endpoints.js';
import type { RelayRoutesDeps } from '../built-relay.js';
import { addRelayRoutes, relayRoute, takeCall, type RelayRoute, type ServeCall } from '../relay-route.js';
import { anything, file, flag, list, open, text } from '../relay-shapes.js';
import { refuseUnserved } from '../unserved-paths.js';
import { apiOf } from './object-api.js';
import type { ObjectAction } from './object-calls.js';
import { nameOf, resources, type BodyForm, type Resource } from './resources.js';

const id = text.describe('Id, as the provider returned it');

/** Returns how a body of this form is described. */
const bodyOf = (body: BodyForm) =>
  body === 'none' ? {} : body === 'json' ? { body: open({}, {}) } : { form: open({}, { file }) };

/** Serves a request if the client's API has the resource; else its path is unknown. */
const serves =
  (name: string, action: ObjectAction): ServeCall =>
  ({ objects, relay }, call, request) => {
    const api = apiOf(request);
    const resource = resources.find((one) => nameOf(one) === name && one.apis.includes(api));
    return resource ? objects.serve(resource, action, call, request) : refuseUnserved(relay, request, call, 404);
  };

function routesOf(resource: Resource): Array<RelayRoute<ServeCall>> {
  const { path, noun, create, lists, reads, change, removes, below = [] } = resource;
  const one = `${path}/:id` as const;
  const example = { path: { id: 'none', item: 'none', file: 'none', batch: 'none', version: 'none' } };
  const described = { response: anything, example: { path: { id: 'none' } }, path: { id } };
  const declare = (
    route: string,
    action: ObjectAction,
    more: Omit<Parameters<typeof relayRoute>[2], 'role'>,
  ): RelayRoute<ServeCall> =>
    relayRoute(route as RelayRoute<ServeCall>['route'], serves(nameOf(resource), action), {
      withoutHead: true,
      ...more,
    });
  return [
    ...(create
      ? [
          declare(
            `POST ${path}`,
            { does: 'create', body: create },
            { summary: `Create: ${noun}`, ...bodyOf(create), response: anything, example: {} },
          ),
        ]
      : []),
    ...(lists
      ? [
          declare(
            `GET ${path}`,
            { does: 'list' },
            { summary: `List: ${noun}`, response: open({}, { data: list }), example: {} },
          ),
        ]
      : []),
    ...(reads ? [declare(`GET ${one}`, { does: 'read' }, { summary: `Read: ${noun}`, ...described })] : []),
    ...(change
      ? [
          declare(
            `${change} ${one}`,
            { does: 'change' },
            { summary: `Change: ${noun}`, body: open({}, {}), ...described },
          ),
        ]
      : []),
    ...(removes
      ? [
          declare(
            `DELETE ${one}`,
            { does: 'remove' },
            { summary: `Delete: ${noun}`, ...described, response: open({}, { id: text, deleted: flag }) },
          ),
        ]
      : []),
    ...below.map(([route, body, summary]) => {
      const [method = '', rest = ''] = route.split(' ');
      const names = [...rest.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
      const parts = Object.fromEntries(names.map((name) => [name, text.describe(`Id of the ${name}`)]));
      return declare(
        `${method} ${one}${rest}`,
        { does: 'below', body },
        {
          summary,
          ...bodyOf(body),
          path: { id, ...parts },
          ...(rest.endsWith('/content') ? { media: 'application/octet-stream' } : { response: anything }),
          example: { path: Object.fromEntries(['id', ...names].map((name) => [name, example.path[name as 'id']])) },
        },
      );
    }),
  ];
}

const isGoogle = ({ apis }: Resource): boolean => apis.includes('gemini');

/** Files and other objects at paths below `/v1`. */
export const objectRoutes: ReadonlyArray<RelayRoute<ServeCall>> = resources
  .filter((resource) => !isGoogle(resource))
  .flatMap(routesOf);

/** Files and caches at Google's paths. */
export const googleObjectRoutes: ReadonlyArray<RelayRoute<ServeCall>> = [
  ...resources.filter(isGoogle).flatMap(routesOf),
  relayRoute<ServeCall>(
    'POST /upload/v1beta/files',
    ({ googleUploads }, call, request) => googleUploads.serve(call, request),
    {
      summary: 'Upload a file to Gemini, in pieces',
      description: 'Commands of the header `x-goog-upload-command`: `start`, `upload`, `finalize`, `query`, `cancel`.',
      body: open({}, { file: anything }),
      response: open({}, { file: anything }),
      example: { body: { file: {} } },
    },
  ),
];

/** Adds the routes of files and other objects. */
export function addObjectRoutes(app: FastifyInstance, deps: RelayRoutesDeps): void {
  addRelayRoutes(app, objectRoutes, prefixes, (served) => takeCall(served, deps));
  addRelayRoutes(app, googleObjectRoutes, [''], (served) => takeCall(served, deps));
  // Google's newer clients call `/v1`.
  for (const { route, served } of googleObjectRoutes) {
    const [method = '', path = ''] = route.replace('/v1beta/', '/v1/').split(' ');
    if (!path.startsWith('/v1/files'))
      app.route({ method, url: path, handler: takeCall(served, deps), exposeHeadRoute: false });
  }
}
