import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { providers } from '../../server/src/dialects/makers/providers.js';

/** The console finds the mark of a type of channel by its label. */
const source = readFileSync(join(import.meta.dirname, '../../client/src/screens/channels/providerMarks.ts'), 'utf8');
const marked = [...source.matchAll(/^ {2}(?:'([^']+)'|(\w+)): \w+,$/gm)].map(([, quoted, plain]) => quoted ?? plain);

it('are those of every maker, by the labels of the server', () => {
  const labels = providers.map(({ label }) => label);
  expect(marked.filter((label) => !labels.includes(label ?? ''))).toEqual([]);
  // Resellers, and types for any host.
  expect(labels.filter((label) => !marked.includes(label)).sort()).toEqual([
    ...['AI Proxy', 'AIGC2D', 'API2GPT', 'Ails', 'Custom (chosen endpoints)', 'Custom (full URL)'],
    ...['Embedding: MokaAI M3E', 'Knowledge base: AI Proxy', 'OhMyGPT', 'OpenAI Max', 'SGLang'],
  ]);
});
