import { z } from 'zod';
import type { ErrorCode } from '../../../shared/errors.js';
import { queryFlag, queryId, queryNumber } from '../query.js';

/** The callers of an operation: users from a role upwards, the holder of an API key, or everyone. */
export type ApiRole = 'anonymous' | 'common' | 'admin' | 'root' | 'key';

/** A request that is valid on a site that was just set up. A test sends it. */
export interface ApiExample {
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
  /** The code of the failure, if the request cannot succeed on such a site because a provider is not configured. */
  readonly fails?: ErrorCode;
}

/** A JSON Schema (2020-12), as OpenAPI 3.1 uses it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** One operation of the HTTP API, as the reference describes it. */
export interface ApiOperation {
  /** A short phrase without a full stop. */
  readonly summary: string;
  /** Markdown. */
  readonly description?: string;
  readonly role: ApiRole;
  readonly query?: Readonly<Record<string, z.ZodType>>;
  /**
   * Whether a retry with the same `Idempotency-Key` repeats the first result, because the operation moves money or
   * creates a row.
   */
  readonly once?: true;
  /** Meaning of the parts of the path, by name. Absent: an id. */
  readonly path?: Readonly<Record<string, z.ZodType>>;
  /** The JSON body, as clients send it. */
  readonly body?: z.ZodType;
  /** The shape whose descriptions the fields of the body get, if it differs from `data`. */
  readonly bodyOf?: z.ZodType;
  /** The fields of a `multipart/form-data` body. */
  readonly form?: z.ZodType;
  /** `data` of `{ success: true, message, data }`. Absent: the response has no data. */
  readonly data?: z.ZodType;
  /** The complete JSON body of a success, if it is not the usual envelope. */
  readonly response?: z.ZodType;
  /** The media type of a success that is not JSON. */
  readonly media?:
    | 'text/csv'
    | 'text/plain'
    | 'text/html'
    | 'application/pdf'
    | 'text/event-stream'
    | 'audio/mpeg'
    | 'image/png'
    | 'video/mp4'
    | 'application/octet-stream';
  /** Whether the response may also be a stream of server-sent events. */
  readonly streams?: true;
  /** Whether the request changes the connection to a WebSocket: status 101 without a body. */
  readonly upgrades?: true;
  /** Whether the success is a redirect. */
  readonly redirects?: true;
  /** Further statuses whose body has the form of a success, with the reason. */
  readonly also?: Readonly<Record<number, string>>;
  /** The JSON body of every failure, if it has a form of its own. */
  readonly failure?: z.ZodType;
  /** Failures in addition to those that every operation of its role can have. */
  readonly errors?: readonly ErrorCode[];
  readonly example: ApiExample;
}

/** Method and path pattern, as the router has them: `GET /api/token/:id`. */
type Route = `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`;

export type ApiOperations = Readonly<Record<Route, ApiOperation>>;

/** An operation with its route. */
export interface ApiRoute extends ApiOperation {
  readonly route: Route;
}

/** A section of the reference. */
export interface ApiSection {
  readonly name: string;
  readonly description: string;
  readonly operations: ApiOperations;
}

/** The section of these routes. */
export const sectionOf = (name: string, description: string, routes: readonly ApiRoute[]): ApiSection => ({
  name,
  description,
  operations: Object.fromEntries(routes.map(({ route, ...operation }) => [route, operation])),
});

/**
 * A shape with a name of its own in the reference.
 * @param id the name, unique among all shapes
 */
export const named = <Shape extends z.ZodRawShape>(id: string, description: string, shape: Shape): z.ZodObject<Shape> =>
  z.object(shape).meta({ id, description });

type ReadOnly<Value> =
  Value extends ReadonlyArray<infer Item>
    ? ReadonlyArray<ReadOnly<Item>>
    : Value extends object
      ? { readonly [Key in keyof Value]: ReadOnly<Value[Key]> }
      : Value;

/** A value of a shape, as it is sent. Lists may be read-only. */
export type Wire<Shape extends z.ZodType> = ReadOnly<z.output<Shape>>;

export const text = (description: string): z.ZodString => z.string().describe(description);
export const int = (description: string): z.ZodInt => z.int().describe(description);
export const flag = (description: string): z.ZodBoolean => z.boolean().describe(description);

/** A field in quota, the site's unit of money. By default 500,000 quota are one USD. */
export const quota = (description: string): z.ZodInt => z.int().describe(`${description}, in quota`);
/** A field in Unix seconds. */
export const seconds = (description: string): z.ZodInt => z.int().describe(`${description}, in Unix seconds`);

/**
 * A list in the two forms that clients of the older consoles read (docs/reference/rest/conventions.md#pagination): pages
 * with a total, or a plain array.
 */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.union([
    z.array(item),
    z.object({
      items: z.array(item),
      total: z.int(),
      page: z.int(),
      page_size: z.int(),
      total_capped: z.boolean().optional(),
    }),
  ]);

/** Fields of bodies that older clients may leave out or send as null. */
export const nullish = { text: z.string().nullish(), whole: z.int().nullish(), flag: z.boolean().nullish() };

/**
 * Query parameters as old clients send them (docs/reference/rest/conventions.md#urls-and-bodies). They never fail:
 * a number or id that is absent or unreadable is 0, a text that is `required` in the reference is empty. Parameters
 * without a description are left out of the reference.
 */
export const parameter = {
  words: (description?: string) => z.string().optional().meta({ description }),
  required: (description: string) => z.string().catch('').meta({ description }),
  whole: (description?: string) => z.string().optional().transform(queryNumber).meta({ description, type: 'integer' }),
  id: (description?: string) => z.string().optional().transform(queryId).meta({ description, type: 'integer' }),
  choice: (description?: string) => z.string().optional().transform(queryFlag).meta({ description, type: 'boolean' }),
};

const pageNumber = (description: string) => z.string().optional().meta({ description, type: 'integer' });

/** The page of a list, as `wireList` reads it. */
export const pages = {
  p: pageNumber('The page. It starts at 1 where the response has a total, otherwise at 0'),
  page_size: pageNumber('Rows of a page, at most 100. Default 10'),
  page: parameter.words(),
  size: parameter.words(),
  ps: parameter.words(),
};

/** `pages` of lists that only clients of new-api read by pages. The reference does not show them. */
export const hiddenPages = { ...pages, p: parameter.words(), page_size: parameter.words() };

/** A range of time whose ends are inclusive. */
export const timeRange = {
  start_timestamp: parameter.whole('The first Unix second. 0 or absent: no bound'),
  end_timestamp: parameter.whole('The last Unix second. 0 or absent: no bound'),
};
