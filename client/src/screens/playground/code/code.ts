import type { ApiRequest } from '../calls.js';
import { curlCode } from './curl.js';
import { goCode } from './go.js';
import { javaCode } from './java.js';
import { pythonCode } from './python.js';
import { typescriptCode } from './typescript.js';

/** A request with the address and the key that a program uses. */
export interface CodeInput extends ApiRequest {
  /** The base URL with `/v1`. */
  readonly baseUrl: string;
  readonly key: string;
}

export const codeLanguages = [
  { id: 'curl', name: 'curl', write: curlCode },
  { id: 'python', name: 'Python', write: pythonCode },
  { id: 'typescript', name: 'TypeScript', write: typescriptCode },
  { id: 'go', name: 'Go', write: goCode },
  { id: 'java', name: 'Java', write: javaCode },
] as const;

export type CodeLanguage = (typeof codeLanguages)[number]['id'];
