import { join } from 'node:path';
import { build, type InlineConfig, type Plugin, type Rolldown } from 'vite';

/** So many lists use it: then it comes with the first of them. */
const fewLists = 3;

const rich = /[\\/](?:marked|dompurify)[\\/]|[\\/][rR]ichText\.tsx?$/;
const editors = /[\\/](?:useAutocomplete|Autocomplete|components[\\/]form)[\\/]/;

const isPage = (root: string): boolean => /\/screens\/(?:home|about|oauth)\//.test(root);
const isForm = (root: string): boolean => /\/screens\/(?:login|register|reset|setup)\//.test(root);
const isOverlay = (root: string): boolean =>
  /\/(?:components|app\/shell)(?:\/grid)?\/\w+(?:Items|Balloon|Dialog|Stack|Actions|Menu|MenuSelect|Sheet|Form)\.tsx$/.test(
    root,
  );
const isBar = (root: string): boolean => /\/app\/shell\/(?:SideBar|NavigationDrawer|BalanceLink)\.tsx$/.test(root);
/** The lists that are opened most, and on phones. */
const isFirstList = (root: string): boolean => /\/(?:LogListScreen|ChannelListScreen)\.tsx$/.test(root);
const lists = (roots: readonly string[]): number =>
  roots.filter((root) => /\/screens\/\w+\/\w+ListScreen\.tsx$/.test(root)).length;

type Groups = NonNullable<Rolldown.CodeSplittingOptions['groups']>;
/** The modules with a chunk of their own that cannot do without a module. */
type Roots = ReadonlyMap<string, readonly string[]>;

/**
 * Which modules travel together. A browser that has to ask for a hundred small files waits longer than for what is in
 * them, so what is needed together is one file: the first one, what lists share, what forms share, what opens above a
 * page. Everything else keeps the chunk of the screen that asks for it.
 */
const groupsBy = (roots: Roots): Groups => [
  { name: (id, context) => (isEarly(id, context) ? 'early' : null), debugName: 'early', priority: 10 },
  { name: 'first', tags: ['$initial'], priority: 9 },
  // Heavy, and only for those who read or edit something long.
  { name: 'rich', test: rich, priority: 8 },
  // Lists have fields as well, but nothing to fill in.
  { name: 'hook-form', test: /[\\/]react-hook-form[\\/]/, priority: 8 },
  // What lists cannot do without before their first row stands there, and nothing that may come after it.
  shared(roots, 'common', 7, (of) => of.some(isFirstList) && of.some((root) => isPage(root) || isForm(root))),
  shared(roots, 'lists', 7, (of) => of.some(isFirstList)),
  // From what visitors need to what only the console does: none may hold what one above it would have to wait for.
  shared(roots, 'pages', 6, (of) => of.some(isPage)),
  shared(roots, 'forms', 5, (of) => of.some(isForm)),
  shared(roots, 'overlays', 4, (of, id) => of.some(isOverlay) && !editors.test(id)),
  shared(roots, 'console', 3, (of, id) => (of.some(isBar) || lists(of) >= fewLists) && !editors.test(id)),
  { name: 'editors', test: editors, priority: 2 },
];

/** What runs first, and everything it needs. */
const earlyModule = join(import.meta.dirname, 'src/early/early.ts');
let earlyModules: ReadonlySet<string> | undefined;

function isEarly(id: string, context: Rolldown.ChunkingContext): boolean {
  if (!earlyModules) {
    const wanted = new Set([earlyModule]);
    for (const one of wanted)
      for (const imported of context.getModuleInfo(one)?.importedIds ?? []) wanted.add(imported);
    earlyModules = wanted;
  }
  return earlyModules.has(id);
}

/** What a screen shares with its own dialogs stays with it. */
const areaOf = (root: string): string => /\/screens\/\w+\//.exec(root)?.[0] ?? root;

/** A group of the modules that several others need, by which those are. */
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
      return new Set(of.map(areaOf)).size > 1 && holds(of, id) ? name : null;
    },
    priority,
  };
}

/**
 * Builds twice: which screen really needs what is known once everything unused is shaken out. By imports alone a list
 * would need half of what it only could have used.
 * @param parts what both builds are made from
 */
export function chunks(parts: InlineConfig): Plugin {
  return {
    name: 'chunks',
    apply: 'build',
    config: async () => {
      const groups = groupsBy(await findRoots(parts));
      const codeSplitting = { groups, includeDependenciesRecursively: false };
      return { build: { rolldownOptions: { output: { codeSplitting } } } };
    },
  };
}

async function findRoots(parts: InlineConfig): Promise<Roots> {
  const built = await build({
    ...parts,
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

/** A chunk and everything it cannot run without. */
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
