import type { Plugin } from 'vite';
import { closureOf } from './chunks.js';
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
      handler: (html, { bundle = {} }) => {
        const early = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === 'early');
        if (!early) throw new Error('nothing is asked early');
        return html
          .replaceAll('<script type="module"', '<script type="module" fetchpriority="low"')
          .replace(/<link rel="modulepreload"[^>]*early[^>]*>/, '')
          .replace('<link', `<script type="module" async crossorigin src="/${early.fileName}"></script><link`);
      },
    },
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const filesOf = (module: string): string[] => {
        const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.includes(`/src/${module}.ts`));
        if (!chunk) throw new Error(`no chunk of ${module}: is it fetched when it is needed?`);
        return [...closureOf(chunk, chunks)].filter((one) => !first.has(one)).map(({ fileName }) => `/${fileName}`);
      };
      const entry = chunks.find(({ isEntry }) => isEntry);
      const first = entry ? closureOf(entry, chunks) : new Set();
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
