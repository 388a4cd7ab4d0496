import type { Rolldown } from 'vite';

/** So many lists use it: then it comes with the first of them. */
const fewLists = 3;

const rich = /[\\/](?:marked|dompurify)[\\/]|[\\/]RichText\.tsx$/;
const editors = /[\\/](?:useAutocomplete|Autocomplete|components[\\/]form)[\\/]/;

const isPage = (root: string): boolean => /\/screens\/(?:home|about|oauth)\//.test(root);
const isForm = (root: string): boolean => /\/screens\/(?:login|register|reset|setup)\//.test(root);
const isOverlay = (root: string): boolean =>
  /\/(?:components|app\/shell)\/\w+(?:Items|Balloon|Dialog|Stack|Actions)\.tsx$/.test(root);
const isBar = (root: string): boolean => /\/app\/shell\/(?:SideBar|NavigationDrawer|BalanceLink)\.tsx$/.test(root);
const isOfLists = (roots: readonly string[]): boolean =>
  roots.filter((root) => /\/screens\/\w+\/\w+ListScreen\.tsx$/.test(root)).length >= fewLists;

/**
 * Which modules travel together. A browser that has to ask for a hundred small files waits longer than for what is in
 * them, so what is needed together is one file: the first one, what forms share, what opens above a page, what the
 * lists behind sign-in share. Everything else keeps the chunk of the screen that asks for it.
 */
export const chunkGroups: NonNullable<Rolldown.CodeSplittingOptions['groups']> = [
  { name: 'first', tags: ['$initial'], priority: 9 },
  // Heavy, and only for those who read or edit something long.
  { name: 'rich', test: rich, priority: 8 },
  // Lists have fields as well, but nothing to fill in.
  { name: 'hook-form', test: /[\\/]react-hook-form[\\/]/, priority: 8 },
  // From what visitors need to what only lists do: none may hold what one above it would have to wait for.
  shared('pages', 7, (roots) => roots.some(isPage)),
  shared('forms', 6, (roots) => roots.some(isForm)),
  shared('overlays', 5, (roots, id) => roots.some(isOverlay) && !editors.test(id)),
  shared('console', 4, (roots, id) => (roots.some(isBar) || isOfLists(roots)) && !editors.test(id)),
  { name: 'editors', test: editors, priority: 3 },
];

type Lookup = Pick<Rolldown.ChunkingContext, 'getModuleInfo'>;

/** A group of the modules that several others need, by which those are. */
function shared(
  name: string,
  priority: number,
  holds: (roots: readonly string[], id: string) => boolean,
): Rolldown.CodeSplittingGroup {
  return {
    debugName: name,
    name: (id, context) => {
      const roots = [...rootsOf(id, context)];
      return roots.length > 1 && holds(roots, id) ? name : null;
    },
    priority,
  };
}

/** The modules with a chunk of their own that cannot do without this one. */
function rootsOf(id: string, context: Lookup): ReadonlySet<string> {
  const seen = new Set([id]);
  const roots = new Set<string>();
  for (const one of seen) {
    const info = context.getModuleInfo(one);
    if (!info) continue;
    if (info.dynamicImporters.length > 0) roots.add(one);
    for (const importer of info.importers) seen.add(importer);
  }
  return roots;
}
