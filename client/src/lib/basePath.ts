/** The path of the site below its host, such as `/gw` (BASE_PATH of the server). Empty: the host is the site's own. */
export const basePath = document.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content ?? '';

/** The address of a path of this site, for requests and links that the router does not follow. */
export const sitePath = (path: string): string => basePath + path;

/** The address of this site, without a slash at its end. */
export const siteAddress = (): string => location.origin + basePath;
