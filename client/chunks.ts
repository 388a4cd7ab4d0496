import { build, type InlineConfig, type Plugin, type Rolldown } from 'vite';
import { screens, type ScreenEntry } from './src/app/screens.js';

type Groups = NonNullable<Rolldown.CodeSplittingOptions['groups']>;
/** For each module, the dynamically imported modules that cannot run without it. */
type Roots = ReadonlyMap<string, readonly string[]>;

/** A large component that only some screens need, with those that stand on it. */
const autocomplete = /[\\/](?:useAutocomplete|Autocomplete|ChipsInput)[\\/.]/;

/** The explorer, whose packages load parts of themselves on demand. What only these need is none of the console's. */
const explorer = /[\\/](?:screens[\\/]explorer|node_modules[\\/](?:@?graphiql|codemirror|codemirror-graphql))[\\/]/;
const isForExplorer = (of: readonly string[]): boolean => of.every((root) => explorer.test(root));

/** The client of GraphQL, which pages for visitors are shown without. */
const client = /[\\/]node_modules[\\/](?:@apollo[\\/]client|@wry|graphql|optimism|rxjs|tslib)[\\/]/;

/** Libraries whose screens share modules that nothing else needs. */
const libraries = {
  rich: /[\\/](?:marked|dompurify)[\\/]/,
  forms: /[\\/]react-hook-form[\\/]/,
  charts: /[\\/]x-charts[\\/]/,
  grid: /[\\/]x-data-grid[\\/]DataGrid[\\/]/,
};

/** A module that this many screens of the console need is loaded with the first of them. */
const shareCount = 3;

const screenOf = (root: string): ScreenEntry | undefined =>
  screens.find(({ module }) => root.endsWith(`/src/screens/${module}Screen.tsx`));

const isPublic = (root: string): boolean => screenOf(root)?.access === 'visitor';
const publicCount = (of: readonly string[]): number => of.filter(isPublic).length;
const isOnDemand = (root: string): boolean => screenOf(root) === undefined;
/** The texts of a language load with the first screen, long before anything that opens on demand. */
const isText = (root: string): boolean => root.includes('/src/i18n/');
const isConsole = (root: string): boolean => screenOf(root) !== undefined && !isPublic(root);

/**
 * Which modules share a chunk. A browser that requests a hundred small files waits longer for the requests than for the
 * bytes, so modules that are needed together are one file: everything at start, what public pages share, dialogs and drawers,
 * which only one public page has, charts, the grid, what the screens of the console share, what opens on demand with a form or without. Other
 * modules stay in the chunk of their screen. No group imports another in a circle: what a module imports is needed by all
 * screens that need the module, so the groups for few screens import those for many.
 */
function groupsBy(roots: Roots): Groups {
  const onlyWith = (library: RegExp) => {
    const having = new Set([...roots].flatMap(([id, of]) => (library.test(id) ? of : [])));
    return (of: readonly string[]): boolean => of.every((root) => having.has(root));
  };
  const isForForms = onlyWith(libraries.forms);
  const isShared = (of: readonly string[]): boolean => of.filter(isConsole).length >= shareCount;
  return [
    { name: 'first', tags: ['$initial'], priority: 9 },
    { name: 'autocomplete', test: autocomplete, priority: 8 },
    shared(roots, 'rich', 8, onlyWith(libraries.rich)),
    shared(roots, 'explorer', 7, isForExplorer),
    shared(roots, 'graphql', 7, (of, id) => client.test(id) && !isForExplorer(of)),
    shared(roots, 'forms', 7, (of, id) => libraries.forms.test(id) || (of.some(isPublic) && isForForms(of))),
    shared(roots, 'common', 6, (of) => publicCount(of) > 1 && of.some(isConsole)),
    shared(roots, 'windows', 5, (of) => publicCount(of) === 1 && of.some(isConsole)),
    shared(roots, 'pages', 5, (of) => of.some(isPublic)),
    shared(roots, 'charts', 4, onlyWith(libraries.charts)),
    shared(roots, 'data-grid', 4, onlyWith(libraries.grid)),
    shared(roots, 'editors', 4, (of) => isShared(of) && isForForms(of)),
    shared(roots, 'console', 3, isShared),
    shared(roots, 'dialogs', 2, (of) => of.some(isOnDemand) && isForForms(of)),
    shared(roots, 'overlays', 1, (of) => of.some(isOnDemand) && !of.some(isText)),
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
