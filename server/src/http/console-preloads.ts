import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Who may open a screen (`client/src/app/screens.ts`). A `visitor` screen needs only the texts of public pages. */
type Access = 'visitor' | 'anyone' | 'user' | 'admin';

/** The console's manifest (`client/preloads.ts`). Files are URL paths of this site. */
interface Built {
  readonly screens: ReadonlyArray<{
    readonly path: string;
    readonly access: Access;
    readonly files: readonly string[];
  }>;
  readonly texts: Readonly<Record<string, { readonly first: readonly string[]; readonly rest: readonly string[] }>>;
}

export interface Preloads {
  /** Files of the screen. */
  readonly files: readonly string[];
  /** By language: only the browser knows which one applies. */
  readonly texts: Readonly<Record<string, readonly string[]>>;
}

/** Finds the files that a page of the console needs, so that the page can name them before any script runs. */
export class ConsolePreloads {
  private readonly screens: ReadonlyArray<Built['screens'][number] & { readonly pattern: RegExp }>;
  private readonly texts: Built['texts'];

  /** @param clientRoot folder of the built console, null when there is none */
  constructor(clientRoot: string | null) {
    const file = clientRoot === null ? null : join(clientRoot, 'preloads.json');
    const built: Built =
      file && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Built) : { screens: [], texts: {} };
    this.texts = built.texts;
    this.screens = built.screens.map((screen) => ({ ...screen, pattern: patternOf(screen.path) }));
  }

  /**
   * @param signedIn a guess based on the session cookie. If it is wrong, the browser requests the missing files itself.
   */
  of(path: string, signedIn: boolean): Preloads {
    const asked = this.screens.find(({ pattern }) => pattern.test(path));
    const needsSignIn = asked?.access === 'user' || asked?.access === 'admin';
    const shown = needsSignIn && !signedIn ? this.screens.find((one) => one.path === '/login') : asked;
    const all = shown !== undefined && shown.access !== 'visitor';
    const texts = Object.entries(this.texts).map(([language, { first, rest }]) => [
      language,
      all ? [...first, ...rest] : first,
    ]);
    return { files: shown?.files ?? [], texts: Object.fromEntries(texts) as Preloads['texts'] };
  }
}

/** `:id` matches one segment of a path, as in the console's router. */
const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}/?$`);
