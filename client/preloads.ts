import type { Plugin, Rolldown } from 'vite';
import { screenFiles } from './src/app/screenFiles.js';

/**
 * Leaves `preloads.json` beside the built page: the files of each screen besides those the page names anyway, and the
 * texts of each language. The server reads it (`server/src/http/console-preloads.ts`) and never hands it out.
 */
export function preloads(): Plugin {
  return {
    name: 'preloads',
    apply: 'build',
    // The bar is painted before the scripts have come, and nobody can do anything before they have run: they make way for its style.
    transformIndexHtml: {
      order: 'post',
      handler: (html) => html.replaceAll('<script type="module"', '<script type="module" fetchpriority="low"'),
    },
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const filesOf = (module: string): string[] => {
        const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.includes(`/src/${module}.ts`));
        if (!chunk) throw new Error(`no chunk of ${module}: is it fetched when it is needed?`);
        return [...closure(chunk, chunks)].filter((name) => !first.has(name)).map((name) => `/${name}`);
      };
      const entry = chunks.find(({ isEntry }) => isEntry);
      const first = new Set(entry && closure(entry, chunks));
      const screens = Object.entries(screenFiles).flatMap(([audience, files]) =>
        Object.entries(files).map(([path, file]) => ({ path, audience, files: filesOf(`screens/${file}`) })),
      );
      const texts = Object.fromEntries(
        ['en', 'zh'].map((language) => [
          language,
          { first: filesOf(`i18n/${language}/first`), rest: filesOf(`i18n/${language}/rest`) },
        ]),
      );
      this.emitFile({ type: 'asset', fileName: 'preloads.json', source: JSON.stringify({ screens, texts }) });
    },
  };
}

/** A chunk and everything it cannot run without. */
function closure(chunk: Rolldown.OutputChunk, chunks: readonly Rolldown.OutputChunk[]): Set<string> {
  const names = new Set([chunk.fileName]);
  for (const name of names) {
    for (const wanted of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) names.add(wanted);
  }
  return names;
}
