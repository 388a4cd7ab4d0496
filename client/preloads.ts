import type { Plugin } from 'vite';
import { closureOf } from './chunks.js';
import { screens } from './src/app/screens.js';
import { languages } from './src/i18n/languages.js';

/**
 * Writes `preloads.json` beside the built page: the files of each screen that the page does not name itself, and the texts of
 * each language. The server reads it (`server/src/platform/http/console-page.ts`) and does not serve it.
 */
export function preloads(): Plugin {
  return {
    name: 'preloads',
    apply: 'build',
    // Scripts load with low priority: the style of the first paint goes first.
    transformIndexHtml: {
      order: 'post',
      handler: (html) => html.replaceAll('<script type="module"', '<script type="module" fetchpriority="low"'),
    },
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const filesOf = (module: string): string[] => {
        const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.includes(`/src/${module}.ts`));
        if (!chunk) throw new Error(`${module} has no chunk of its own: is it imported statically?`);
        return [...closureOf(chunk, chunks)].filter((one) => !first.has(one)).map(({ fileName }) => `/${fileName}`);
      };
      const entry = chunks.find(({ isEntry }) => isEntry);
      const first = entry ? closureOf(entry, chunks) : new Set();
      const client = filesOf('app/apollo');
      const paths = screens.flatMap(({ paths, module, access, asksAtOnce }) => {
        const screen = filesOf(`screens/${module}Screen`);
        const files = access === 'visitor' && !asksAtOnce ? screen : [...new Set([...screen, ...client])];
        return paths.map((path) => ({ path, access, files }));
      });
      const texts = Object.fromEntries(
        languages.map((language) => [
          language,
          { first: filesOf(`i18n/${language}/first`), screens: filesOf(`i18n/${language}/screens`) },
        ]),
      );
      this.emitFile({ type: 'asset', fileName: 'preloads.json', source: JSON.stringify({ screens: paths, texts }) });
    },
  };
}
