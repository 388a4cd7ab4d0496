import { build, type InlineConfig, type Plugin, type Rolldown } from 'vite';
import { screens, type ScreenEntry } from './src/app/screens.js';

type Groups = NonNullable<Rolldown.CodeSplittingOptions['groups']>;
/** For each module, the dynamically imported modules that cannot run without it. */
type Roots = ReadonlyMap<string, readonly string[]>;

/** Large packages that only some screens need, each with the components that stand on it. */
const packages = {
  rich: /[\\/](?:marked|dompurify)[\\/]|[\\/][rR]ichText\./,
  autocomplete: /[\\/](?:useAutocomplete|Autocomplete|ChipsInput)[\\/.]/,
};

/** The explorer, whose packages load parts of themselves on demand. What only these need is none of the console's. */
const explorer = /[\\/](?:screens[\\/]explorer|node_modules[\\/](?:@?graphiql|codemirror|codemirror-graphql))[\\/]/;
const isForExplorer = (of: readonly string[]): boolean => of.every((root) => explorer.test(root));

/** The client of GraphQL, which pages for visitors are shown without. */
const client = /[\\/]node_modules[\\/](?:@apollo[\\/]client|@wry|graphql|optimism|rxjs|tslib)[\\/]/;

/** Modules that only screens with this library need travel with it. */
const formLibrary = /[\\/]react-hook-form[\\/]/;

/** A module that this many screens of the console need is loaded with the first of them. */
const shareCount = 3;

const screenOf = (root: string): ScreenEntry | undefined =>
  screens.find(({ module }) => root.endsWith(`/src/screens/${module}Screen.tsx`));

const isPublic = (root: string): boolean => screenOf(root)?.access === 'visitor';
const publicCount = (of: readonly string[]): number => of.filter(isPublic).length;
const isConsole = (root: string): boolean => screenOf(root) !== undefined && !isPublic(root);

/**
 * Which modules share a chunk. A browser that requests a hundred small files waits longer for the requests than for the
 * bytes, so modules that are needed together are one file: everything at start, what public pages share, dialogs and drawers,
 * which only one public page has, what the screens of the console share, what opens on demand. Other modules stay in the chunk of their screen.
 */
function groupsBy(roots: Roots): Groups {
  const withForm = new Set([...roots].flatMap(([id, of]) => (formLibrary.test(id) ? of : [])));
  const isForForms = (of: readonly string[]): boolean => of.every((root) => withForm.has(root));
  const isShared = (of: readonly string[]): boolean => of.filter(isConsole).length >= shareCount;
  return [
    { name: 'first', tags: ['$initial'], priority: 9 },
    ...Object.entries(packages).map(([name, test]) => ({ name, test, priority: 8 })),
    shared(roots, 'explorer', 7, isForExplorer),
    shared(roots, 'graphql', 7, (of, id) => client.test(id) && !isForExplorer(of)),
    shared(roots, 'forms', 7, (of, id) => formLibrary.test(id) || (of.some(isPublic) && isForForms(of))),
    shared(roots, 'common', 6, (of) => publicCount(of) > 1 && of.some(isConsole)),
    shared(roots, 'windows', 5, (of) => publicCount(of) === 1 && of.some(isConsole)),
    shared(roots, 'pages', 5, (of) => of.some(isPublic)),
    shared(roots, 'editors', 4, (of) => isShared(of) && isForForms(of)),
    shared(roots, 'console', 3, isShared),
    shared(roots, 'overlays', 2, (of) => of.some((root) => screenOf(root) === undefined)),
  ];
}

/** Nouns that the settings open as tabs. */
const settingsTabs = /\/nouns\/(?:import|prices|roles)\//;

/** Modules of one folder of screens stay together, with the tabs that it opens. */
const areaOf = (root: string): string =>
  settingsTabs.test(root) ? '/screens/settings/' : (/\/screens\/[\w-]+\//.exec(root)?.[0] ?? root);

/** A group of the modules that several areas need, chosen by their roots. */
function shared(
  roots: Roots,
  name: string,
  priority: number,
  holds: (of: readonly string[], id: string) => boolean,
): Rolldown.CodeSplittingGroup {
  return {
    debugName: name,
    name: (id) => {
      const of = roots.get(id) ?? [];
      // A screen stays the module by which its chunk is found, although the first build put shared modules beside it.
      if (of.includes(id)) return null;
      return new Set(of.map(areaOf)).size > 1 && holds(of, id) ? name : null;
    },
    priority,
  };
}

/**
 * Groups modules into chunks. It builds twice: only after tree shaking is it known which screen really needs a module.
 * @param base the configuration that both builds share
 */
export function chunks(base: InlineConfig): Plugin {
  return {
    name: 'chunks',
    apply: 'build',
    config: async () => {
      const groups = groupsBy(await findRoots(base));
      const codeSplitting = { groups, includeDependenciesRecursively: false };
      return { build: { rolldownOptions: { output: { codeSplitting } } } };
    },
  };
}

async function findRoots(base: InlineConfig): Promise<Roots> {
  const built = await build({
    ...base,
    configFile: false,
    logLevel: 'error',
    build: { write: false, minify: false, reportCompressedSize: false },
  });
  const [{ output }] = [built].flat() as [Rolldown.RolldownOutput];
  const found = output.filter((file) => file.type === 'chunk');
  const roots = new Map<string, string[]>();
  for (const chunk of found.filter(({ isDynamicEntry }) => isDynamicEntry)) {
    const root = chunk.facadeModuleId ?? chunk.fileName;
    for (const one of closureOf(chunk, found)) {
      for (const module of one.moduleIds) roots.set(module, [...(roots.get(module) ?? []), root]);
    }
  }
  return roots;
}

/** A chunk and every chunk it imports statically. */
export function closureOf(
  chunk: Rolldown.OutputChunk,
  all: readonly Rolldown.OutputChunk[],
): ReadonlySet<Rolldown.OutputChunk> {
  const wanted = new Set([chunk]);
  for (const { imports } of wanted) {
    for (const one of all.filter(({ fileName }) => imports.includes(fileName))) wanted.add(one);
  }
  return wanted;
}
