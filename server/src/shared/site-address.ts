/**
 * Returns the site's public address: option `ServerAddress`, or the default port of this machine when it is not set.
 */
export const siteAddress = (serverAddress: string): string => serverAddress || 'http://localhost:3000';
