import type { ObjectApi } from '../../dialects/contract.js';

/**
 * How the body of a request reaches the provider: as it arrives, or read whole because its fields may name other
 * objects. A form is a multipart form or JSON.
 */
export type BodyForm = 'none' | 'stream' | 'json' | 'form';

/** A path below one object: its route, its body, and its summary in the reference. */
export type BelowObject = readonly [route: string, body: BodyForm, summary: string];

/** A kind of object that makers keep for an account. */
export interface Resource {
  /** Path of the list, as the maker documents it. */
  readonly path: string;
  readonly noun: string;
  /** The APIs that have it at this path. */
  readonly apis: readonly ObjectApi[];
  /** Absent: objects are not created at the path. */
  readonly create?: BodyForm;
  readonly lists?: true;
  readonly reads?: true;
  readonly change?: 'POST' | 'PATCH';
  readonly removes?: true;
  readonly below?: readonly BelowObject[];
  /** Whether makers charge for it as long as it exists. Such objects are created only where the site allows it. */
  readonly paid?: true;
  /** Whether plans pay for it. The makers keep all others for nothing, and those need a balance. */
  readonly isPaidByPlan?: true;
  /** Whether it is a conversation, which belongs to the key that had it. All others belong to the user. */
  readonly isConversation?: true;
}

const onlyOpenAI = ['openai'] as const;

/** Every kind of object that is served (docs/reference/relay/files.md). */
export const resources: readonly Resource[] = [
  {
    path: '/v1/files',
    noun: 'file',
    apis: ['openai', 'anthropic'],
    create: 'stream',
    lists: true,
    reads: true,
    removes: true,
    below: [['GET /content', 'none', 'Content of a file']],
  },
  {
    path: '/v1/uploads',
    noun: 'upload',
    apis: onlyOpenAI,
    create: 'json',
    below: [
      ['POST /parts', 'stream', 'Add a part to an upload'],
      ['POST /complete', 'json', 'Make a file of the parts'],
      ['POST /cancel', 'none', 'Cancel an upload'],
    ],
  },
  {
    path: '/v1/conversations',
    noun: 'conversation',
    apis: onlyOpenAI,
    create: 'json',
    reads: true,
    change: 'POST',
    removes: true,
    isConversation: true,
    below: [
      ['GET /items', 'none', 'Items of a conversation'],
      ['POST /items', 'json', 'Add items to a conversation'],
      ['GET /items/:item', 'none', 'An item of a conversation'],
      ['DELETE /items/:item', 'none', 'Delete an item of a conversation'],
    ],
  },
  {
    path: '/v1/vector_stores',
    noun: 'vector store',
    apis: onlyOpenAI,
    create: 'json',
    lists: true,
    reads: true,
    change: 'POST',
    removes: true,
    paid: true,
    below: [
      ['POST /search', 'json', 'Search in a vector store'],
      ['GET /files', 'none', 'Files of a vector store'],
      ['POST /files', 'json', 'Add a file to a vector store'],
      ['GET /files/:file', 'none', 'A file of a vector store'],
      ['POST /files/:file', 'json', 'Change attributes of a file of a vector store'],
      ['DELETE /files/:file', 'none', 'Remove a file from a vector store'],
      ['GET /files/:file/content', 'none', 'Texts of a file of a vector store'],
      ['POST /file_batches', 'json', 'Add files to a vector store'],
      ['GET /file_batches/:batch', 'none', 'State of added files'],
      ['POST /file_batches/:batch/cancel', 'none', 'Cancel adding files'],
      ['GET /file_batches/:batch/files', 'none', 'Files that were added together'],
    ],
  },
  {
    path: '/v1/containers',
    noun: 'container',
    apis: onlyOpenAI,
    create: 'json',
    lists: true,
    reads: true,
    removes: true,
    paid: true,
    below: [
      ['GET /files', 'none', 'Files of a container'],
      ['POST /files', 'form', 'Add a file to a container'],
      ['GET /files/:file', 'none', 'A file of a container'],
      ['DELETE /files/:file', 'none', 'Delete a file of a container'],
      ['GET /files/:file/content', 'none', 'Content of a file of a container'],
    ],
  },
  {
    path: '/v1/skills',
    noun: 'skill',
    apis: ['openai', 'anthropic'],
    create: 'stream',
    lists: true,
    reads: true,
    change: 'POST',
    removes: true,
    below: [
      ['GET /content', 'none', 'Content of a skill'],
      ['POST /versions', 'stream', 'Add a version to a skill'],
      ['GET /versions', 'none', 'Versions of a skill'],
      ['GET /versions/:version', 'none', 'A version of a skill'],
      ['DELETE /versions/:version', 'none', 'Delete a version of a skill'],
      ['GET /versions/:version/content', 'none', 'Content of a version of a skill'],
    ],
  },
  { path: '/v1beta/files', noun: 'file', apis: ['gemini'], lists: true, reads: true, removes: true },
  {
    path: '/v1beta/cachedContents',
    noun: 'cached content',
    apis: ['gemini'],
    create: 'json',
    lists: true,
    reads: true,
    change: 'PATCH',
    removes: true,
    paid: true,
  },
];

/** Returns the last part of the path: `files`. */
export const nameOf = ({ path }: Resource): string => path.slice(path.lastIndexOf('/') + 1);

/** Returns the kind of the rows of a resource. */
export const kindOf = (api: ObjectApi, resource: Resource): string => `${api}/${nameOf(resource)}`;
