import { curlCode } from './curl.js';
import { goCode } from './go.js';
import { javaCode } from './java.js';
import { pythonCode } from './python.js';
import { typescriptCode } from './typescript.js';

export const codeLanguages = [
  { id: 'curl', name: 'curl', write: curlCode },
  { id: 'python', name: 'Python', write: pythonCode },
  { id: 'typescript', name: 'TypeScript', write: typescriptCode },
  { id: 'go', name: 'Go', write: goCode },
  { id: 'java', name: 'Java', write: javaCode },
] as const;

export type CodeLanguage = (typeof codeLanguages)[number]['id'];
