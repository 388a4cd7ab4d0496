/** Puts the path of the site before the addresses in a page that begin at the root of the host. */
export const belowBasePath = (html: string, basePath: string): string =>
  basePath === '' ? html : html.replaceAll(/ (href|src|action|data-index)="\/(?!\/)/g, ` $1="${basePath}/`);
