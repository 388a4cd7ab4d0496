/** The site's public address: option `ServerAddress`, or the default port of this machine where it is not set. */
export const siteAddress = (serverAddress: string): string => serverAddress || 'http://localhost:3000';
